<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * The counters of a Redis server at one moment.
 *
 * @internal
 */
final readonly class RedisSnapshot
{
    /**
     * @param string $place as configured, perhaps with a host name
     * @param string $peer the address that a socket to it has
     * @param int $connections since it started, without the doctor's own
     * @param int $commands since it started
     * @param int $commandMicros that it spent in commands since it started
     * @param float $cpuSeconds of its process
     * @param int $blocked clients in a blocking command, such as BLPOP
     */
    public function __construct(
        public string $place,
        public string $peer,
        public int $connections,
        public int $commands,
        public int $commandMicros,
        public float $cpuSeconds,
        public int $clients,
        public int $blocked = 0,
    ) {}

    /** The counters since an earlier moment. A counter that fell has restarted. */
    public function since(self $before): self
    {
        $rise = static fn (int $now, int $then): int => $now >= $then ? $now - $then : $now;

        return new self(
            $this->place,
            $this->peer,
            $rise($this->connections, $before->connections),
            $rise($this->commands, $before->commands),
            $rise($this->commandMicros, $before->commandMicros),
            $this->cpuSeconds >= $before->cpuSeconds ? $this->cpuSeconds - $before->cpuSeconds : $this->cpuSeconds,
            $this->clients,
            $this->blocked,
        );
    }
}
