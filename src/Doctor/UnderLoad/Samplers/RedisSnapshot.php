<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * What a Redis server has counted by one moment.
 *
 * @internal
 */
final readonly class RedisSnapshot
{
    /**
     * @param string $place as it was told, perhaps with a name for its address
     * @param string $peer the address that a socket to it has
     * @param int $connections since it started, without those of the doctor
     * @param int $commands since it started
     * @param int $commandMicros that it spent in commands since it started
     * @param float $cpuSeconds of its process
     * @param int $blocked clients that wait in a command for something to come, as BLPOP does
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

    /** What it has counted since an earlier moment. A counter that fell has restarted. */
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
