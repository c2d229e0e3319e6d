import { createRoot } from 'react-dom/client';
import { App } from './app.js';
import { applyTheme } from './parts/theme.js';
import { takeKey } from './session/session.js';
import 'uplot/dist/uPlot.min.css';
import './styles/theme.css';
import './styles/layout.css';
import './styles/runs.css';
import './styles/overview.css';
import './styles/trajectories.css';
import './styles/start.css';

applyTheme();
// before anything else, so that the key is out of the address
const key = takeKey();
// a link that was opened in this tab
window.addEventListener('hashchange', () => {
  if (window.location.hash.startsWith('#key=')) window.location.reload();
});
const page = document.getElementById('page');
if (page !== null) createRoot(page).render(<App givenKey={key} />);
