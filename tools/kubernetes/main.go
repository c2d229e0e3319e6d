// The control plane of Kubernetes in one program: each of its parts is a subcommand. `npm run check:kubernetes` builds it.
package main

import (
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	// only the part that is named is made: two of them would both want to handle signals
	parts := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": manager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
	}
	root := &cobra.Command{Use: "kubernetes"}
	if len(os.Args) > 1 {
		if make, isPart := parts[os.Args[1]]; isPart {
			root.AddCommand(make())
		}
	}
	os.Exit(cli.Run(root))
}
