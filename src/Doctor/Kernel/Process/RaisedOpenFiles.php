<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

/**
 * A higher limit of descriptors, in the format of prlimit(1).
 *
 * @internal
 */
final readonly class RaisedOpenFiles
{
    private const AT_LEAST = 65_536;

    /**
     * @param int $wanted for the next process
     * @param string $now SOFT:HARD of the running process; SOFT: if its hard limit stays
     * @param string $before likewise
     */
    private function __construct(public int $wanted, public string $now, public string $before) {}

    /**
     * @param int $limit the present one
     * @param int $hard only root can exceed it, and in a container not even root
     */
    public static function than(int $limit, int $hard): self
    {
        $wanted = max(self::AT_LEAST, 2 * $limit);

        return $hard >= 2 * $limit
            ? new self($wanted, min($wanted, $hard).':', "{$limit}:")
            : new self($wanted, "{$wanted}:{$wanted}", "{$limit}:{$hard}");
    }
}
