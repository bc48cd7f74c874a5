<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Core\HeadroomException;
use Symfony\Component\Console\Exception\InvalidOptionException;

/**
 * What --drivers names is not there, or is nothing to measure: that is known before anything is started.
 *
 * @internal
 */
final class InvalidDriver extends InvalidOptionException implements HeadroomException
{
    /** @param list<string> $known */
    public static function unknownConnection(string $name, array $known): self
    {
        return new self(
            "'{$name}' is none of the connections in config/queue.php, which has: ".implode(', ', $known)
                .'. A database is named as database:CONNECTION, such as database:mysql.',
        );
    }

    /** @param list<string> $known */
    public static function unknownDatabase(string $name, array $known): self
    {
        return new self(
            "'{$name}' is none of the connections in config/database.php, which has: ".implode(', ', $known).'.',
        );
    }

    public static function noWorkers(string $name, string $driver): self
    {
        return new self(
            "'{$name}' has the driver '{$driver}', which runs or drops jobs at once."
                .' There is nothing for a worker to take.',
        );
    }

    /** @param list<string> $started */
    public static function notStarted(string $name, array $started): self
    {
        return new self(
            "'{$name}' is a server of yours, and none of those that --with-servers starts: ".implode(', ', $started)
                .'. Name one of them, or measure your own without --with-servers.',
        );
    }

    /** @param list<string> $behind names of connections */
    public static function wrapsOthers(string $name, string $driver, array $behind): self
    {
        return new self(
            "'{$name}' has the driver '{$driver}', which has no queue of its own and uses those of other connections,"
                .' under their names and in their tables. Name the connection behind it'
                .($behind === [] ? '' : ': '.implode(', ', $behind)).'.',
        );
    }
}
