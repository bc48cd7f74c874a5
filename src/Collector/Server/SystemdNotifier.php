<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

/**
 * What systemd is told, and what it hands over: sd_notify(3), sd_listen_fds(3), spelled out.
 *
 * @internal
 */
final readonly class SystemdNotifier
{
    private const FIRST = 3;

    private const PATIENCE_MICROS = 50_000;

    /** @param array<string, string> $env of this process */
    public function __construct(private array $env, private int $pid) {}

    /**
     * @return array<string, Listener> by the names of their units (FileDescriptorName=);
     *     empty unless this process was started by a socket
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
                : 'main'] ??= Listener::inherited(self::FIRST + $number);
        }

        return $sockets;
    }

    /** @return bool false where the service manager did not take it in time; true where there is none */
    public function tell(string ...$lines): bool
    {
        $address = $this->env['NOTIFY_SOCKET'] ?? '';

        if ($address === '') {
            return true;
        }

        // '@' stands for the NUL of an abstract address.
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
        stream_set_timeout($socket, 0, self::PATIENCE_MICROS);
        $isTaken = @fwrite($socket, $text) === strlen($text);
        fclose($socket);

        return $isTaken;
    }

    /** @return ?int nanoseconds within which it wants to hear that all is well; null when it does not ask */
    public function watchdog(): ?int
    {
        $micros = (int) ($this->env['WATCHDOG_USEC'] ?? 0);
        $isMine = ($this->env['WATCHDOG_PID'] ?? (string) $this->pid) === (string) $this->pid;

        return $micros > 0 && $isMine ? $micros * 1000 : null;
    }
}
