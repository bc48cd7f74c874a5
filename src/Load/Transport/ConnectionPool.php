<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Connections that are kept for the next exchange, and how many are open at all.
 *
 * @internal
 */
final class ConnectionPool
{
    /**
     * One that was used so lately is not looked at before it is used again, unless its server is known
     * to close them unannounced.
     */
    private const FRESH_NANOS = 1_000_000;

    /** @var array<string, list<Connection>> by origin; the last used comes last */
    private array $kept = [];

    /** @var array<string, true> origins that have closed kept connections, or sent on them what nobody asked for */
    private array $unreliable = [];

    private int $open = 0;

    /** @param int $most that may be open at once, unless more are in use */
    public function __construct(private readonly int $most) {}

    public function opened(): void
    {
        $this->open++;
    }

    /** The last used of them, if it is alive. */
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

    /** After a whole answer. */
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

    /** For one more. Of an origin the one that was used longest ago is closed when there would be too many. */
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
