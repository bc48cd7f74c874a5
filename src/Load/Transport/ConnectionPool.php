<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Keeps connections for the next exchange, and counts all open ones.
 *
 * @internal
 */
final class ConnectionPool
{
    /** A connection used so recently is not checked before it is used again, unless its origin is unreliable. */
    private const FRESH_NANOS = 1_000_000;

    /** @var array<string, list<Connection>> by origin; the last used comes last */
    private array $kept = [];

    /** @var array<string, true> origins that have closed kept connections, or sent unrequested bytes on them */
    private array $unreliable = [];

    private int $open = 0;

    /** @param int $most that may be open at once, unless more are in use */
    public function __construct(private readonly int $most) {}

    public function opened(): void
    {
        $this->open++;
    }

    /** The most recently used connection that is alive. */
    public function take(string $origin, int $now): ?Connection
    {
        while (($this->kept[$origin] ?? []) !== []) {
            $connection = array_pop($this->kept[$origin]);
            $isFresh = $now - $connection->idleSince < self::FRESH_NANOS && ! isset($this->unreliable[$origin]);

            if ($isFresh || $connection->isAlive()) {
                return $connection;
            }

            $this->distrust($origin);
            $this->drop($connection);
        }

        return null;
    }

    /** After a complete response. */
    public function keep(Connection $connection, int $now): void
    {
        if ($connection->keep($now)) {
            $this->kept[$connection->origin][] = $connection;
        } else {
            $this->drop($connection);
        }
    }

    public function drop(Connection $connection): void
    {
        $connection->close();
        $this->open--;
    }

    public function distrust(string $origin): void
    {
        $this->unreliable[$origin] = true;
    }

    /** For one more connection: closes the least recently used one of an origin when there would be too many. */
    public function makeRoom(): void
    {
        foreach ($this->kept as $origin => $connections) {
            if ($this->open < $this->most) {
                return;
            }

            $oldest = array_shift($connections);
            $this->kept[$origin] = $connections;

            if ($oldest !== null) {
                $this->drop($oldest);
            }
        }
    }

    public function close(): void
    {
        foreach ($this->kept as $connections) {
            array_map($this->drop(...), $connections);
        }

        $this->kept = [];
    }
}
