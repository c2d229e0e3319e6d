export class LogLine {
  cursor!: number;

  time!: number;

  attempt!: number;

  text!: string;
}
