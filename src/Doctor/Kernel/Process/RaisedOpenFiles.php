<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

/**
 * A limit of descriptors that is larger than the one that holds, as prlimit(1) takes it.
 *
 * @internal
 */
final readonly class RaisedOpenFiles
{
    private const AT_LEAST = 65_536;

    /**
     * @param int $wanted for the next process
     * @param string $now SOFT:HARD of the one that runs, SOFT: where its hard limit stays
     * @param string $before likewise
     */
    private function __construct(public int $wanted, public string $now, public string $before) {}

    /**
     * @param int $limit that holds
     * @param int $hard beyond it only root gets, and in a container not even that one
     */
    public static function than(int $limit, int $hard): self
    {
        $wanted = max(self::AT_LEAST, 2 * $limit);

        return $hard >= 2 * $limit
            ? new self($wanted, min($wanted, $hard).':', "{$limit}:")
            : new self($wanted, "{$wanted}:{$wanted}", "{$limit}:{$hard}");
    }
}
