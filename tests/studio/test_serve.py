"""Which address the studio names, and when it warns."""

import socket

import pytest

pytest.importorskip("uvicorn")

from waygrid.studio import serve


@pytest.fixture
def listening():
    with serve.listen("127.0.0.1", None) as made:
        yield made


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.0.0.2"])
def test_this_machine_alone_needs_no_warning(listening, host):
    assert serve.outside_address(host) is None
    assert serve.warning(listening, host) is None


def test_an_open_studio_names_the_address_that_others_can_use(listening, monkeypatch):
    port = listening.getsockname()[1]
    monkeypatch.setattr(serve, "outside_address", lambda host: "192.168.7.5")
    assert serve.address(listening, "0.0.0.0") == f"http://localhost:{port}/"
    said = serve.warning(listening, "0.0.0.0")
    assert said.startswith("warning: anyone on the network can use this studio")
    assert f"http://192.168.7.5:{port}/" in said


def test_without_a_network_a_hint_takes_the_place_of_the_address(listening, monkeypatch):
    class NoWay(socket.socket):
        def connect(self, place):
            raise OSError("network is unreachable")

    monkeypatch.setattr(serve.socket, "socket", NoWay)
    assert serve.outside_address("0.0.0.0") is None
    assert "at the address of this machine" in serve.warning(listening, "0.0.0.0")


def test_a_named_address_is_its_own():
    assert serve.outside_address("192.168.7.5") == "192.168.7.5"
    assert serve.outside_address("studio.example") == "studio.example"
