"""Lints the chart in deploy/helm and renders it for some values, with Helm itself.

Helm 4's own code comes as a library in the PyPI package helm-python-sdk 0.2.2; there is no cluster.

    python -m venv .cache/helm && .cache/helm/bin/pip install helm-python-sdk==0.2.2
    .cache/helm/bin/python test/golden/helm/render_chart.py > test/golden/helm/rendered.json
"""

import hashlib
import json
import pathlib

import helm_python as helm

ROOT = pathlib.Path(__file__).resolve().parents[3]
CHART = ROOT / "deploy" / "helm" / "espalier"

CASES = {
    "defaults": {},
    "workers": {
        "workers": [
            {
                "name": "gpu",
                "replicas": 2,
                "gpus": 1,
                "labels": ["h100"],
                "drainSeconds": 900,
                "environment": {"ESPALIER__WORKER__HUBOWNERS": "[Qwen]"},
                "resources": {"requests": {"cpu": 4, "memory": "16Gi"}, "limits": {"memory": "32Gi"}},
                "volume": {"size": "100Gi"},
                "nodeSelector": {"pool": "gpu"},
                "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            },
            {"name": "cpu", "environment": {"ESPALIER__WORKER__SLOTS": "2"}},
        ],
        "server": {
            "hosts": ["train.example"],
            "settings": {
                "leaseSeconds": 30,
                "launchers": [
                    {
                        "name": "pods",
                        "driver": "kubernetes",
                        "image": "espalier:0.1.0",
                        "namespace": "lab",
                        "maximum": 4,
                        "worker": {"server": "http://train-server:4500"},
                    }
                ],
            },
        },
        "ingress": {"enabled": True, "host": "train.example", "tlsSecretName": "train-tls"},
    },
    "sqlite": {
        "server": {
            "replicas": 1,
            "database": {"kind": "sqlite"},
            "artifacts": {"driver": "directory"},
        },
        "launchers": {"rbac": False},
    },
    "sqlite-twice": {"server": {"replicas": 2, "database": {"kind": "sqlite"}}},
}


def chart_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(each for each in CHART.rglob("*") if each.is_file()):
        digest.update(path.relative_to(CHART).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def render(values: dict) -> dict:
    try:
        return helm.Chart.load(str(CHART)).render(values, name="train", namespace="lab")
    except helm.HelmError as error:
        return {"error": str(error)}


report = {
    "sha256": chart_hash(),
    "lint": helm.lint(str(CHART), {}, strict=True, kube_version="v1.34.0"),
    "cases": {name: render(values) for name, values in CASES.items()},
}
# as Helm prints a path of this machine
text = json.dumps(report, indent=1, sort_keys=True).replace(str(CHART), "deploy/helm/espalier")
print(text)
