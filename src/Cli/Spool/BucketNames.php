<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Spool\Runtime;
use Symfony\Component\Console\Exception\InvalidArgumentException;

/**
 * Buckets as they are named on a command line. A name that was mistyped must not pass for one that has nothing to do.
 *
 * @internal
 */
final readonly class BucketNames
{
    public function __construct(private Runtime $spool) {}

    /**
     * @param list<string> $asked
     * @return list<string> those, each once; all that are declared when none is asked for
     *
     * @throws InvalidArgumentException
     */
    public function declared(array $asked): array
    {
        $declared = $this->spool->config()->names();

        foreach ($asked as $name) {
            if (! in_array($name, $declared, true)) {
                throw new InvalidArgumentException("Bucket '{$name}' is not declared in config/spool.php, so nothing says where its events go. Declared: ".($declared === [] ? 'none' : implode(', ', $declared)).'.');
            }
        }

        return $asked === [] ? $declared : array_values(array_unique($asked));
    }

    /**
     * @return list<string> the one that is asked for, if it is declared or was ever written to; all of these when none is
     *
     * @throws InvalidArgumentException
     */
    public function known(mixed $asked): array
    {
        $known = array_values(array_unique([...$this->spool->config()->names(), ...$this->spool->stores()->buckets()]));
        sort($known);

        if (! is_string($asked)) {
            return $known;
        }

        return in_array($asked, $known, true) ? [$asked] : throw new InvalidArgumentException(
            "Bucket '{$asked}' is neither declared in config/spool.php nor was it ever written to. Known: ".($known === [] ? 'none' : implode(', ', $known)).'.'
        );
    }
}
