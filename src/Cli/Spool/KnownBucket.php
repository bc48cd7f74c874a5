<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Spool\Runtime;
use Symfony\Component\Console\Exception\InvalidArgumentException;

/**
 * A bucket that a command is given and that need not be declared, if only something was written to it.
 *
 * @internal
 */
final readonly class KnownBucket
{
    public function __construct(private Runtime $spool) {}

    /** @return list<string> the one asked for, or all */
    public function asked(mixed $name): array
    {
        $known = $this->all();

        return match (true) {
            ! is_string($name) => $known,
            in_array($name, $known, true) => [$name],
            default => throw new InvalidArgumentException(
                "Bucket '{$name}' is not declared in config/spool.php, and nothing was ever written to one of that name. Known: ".($known === [] ? 'none' : implode(', ', $known)).'.'
            ),
        };
    }

    /** @return list<string> */
    private function all(): array
    {
        $names = array_values(array_unique([...$this->spool->config()->names(), ...($this->spool->isUntouched() ? [] : $this->spool->store()->buckets())]));
        sort($names);

        return $names;
    }
}
