<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * Speaks to systemd, if it has started this process: sd_notify(3), sd_listen_fds(3), without libsystemd.
 *
 * @internal
 */
final readonly class SystemdNotifier
{
    /** SD_LISTEN_FDS_START */
    private const FIRST_DESCRIPTOR = 3;

    private const TIMEOUT_MICROS = 50_000;

    /** @param array<string, string> $env of this process */
    public function __construct(private array $env, private int $pid) {}

    /**
     * @return array<string, Listener> listening sockets by FileDescriptorName=;
     *     empty without a socket unit
     */
    public function sockets(): array
    {
        if (($this->env['LISTEN_PID'] ?? '') !== (string) $this->pid) {
            return [];
        }

        $names = explode(':', $this->env['LISTEN_FDNAMES'] ?? '');
        $sockets = [];

        for ($number = 0; $number < (int) ($this->env['LISTEN_FDS'] ?? 0); $number++) {
            $sockets[($names[$number] ?? '') === 'admin'
                ? 'admin'
                : 'main'] ??= Listener::inherited(self::FIRST_DESCRIPTOR + $number);
        }

        return $sockets;
    }

    /** @return bool false if systemd did not read the message in time; true without systemd */
    public function notify(string ...$lines): bool
    {
        $address = $this->env['NOTIFY_SOCKET'] ?? '';

        if ($address === '') {
            return true;
        }

        // systemd writes the NUL byte of an abstract address as '@'.
        $socket = @stream_socket_client(
            'udg://'.($address[0] === '@' ? "\0".substr($address, 1) : $address),
            $number,
            $words,
            1,
        );

        if ($socket === false) {
            return true;
        }

        $text = implode("\n", $lines);
        stream_set_timeout($socket, 0, self::TIMEOUT_MICROS);
        $isTaken = @fwrite($socket, $text) === strlen($text);
        fclose($socket);

        return $isTaken;
    }

    /** @return ?int nanoseconds of WatchdogSec=, within which systemd expects WATCHDOG=1; null without a watchdog */
    public function watchdog(): ?int
    {
        $micros = (int) ($this->env['WATCHDOG_USEC'] ?? 0);
        $isMine = ($this->env['WATCHDOG_PID'] ?? (string) $this->pid) === (string) $this->pid;

        return $micros > 0 && $isMine ? $micros * 1000 : null;
    }
}
