<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Core\HeadroomException;
use Symfony\Component\Console\Exception\InvalidOptionException;

/**
 * --drivers names a connection that does not exist, or that has nothing to measure. The command checks this before it
 * starts anything.
 *
 * @internal
 */
final class InvalidDriver extends InvalidOptionException implements HeadroomException
{
    /** @param list<string> $known */
    public static function unknownConnection(string $name, array $known): self
    {
        return new self(
            "'{$name}' is not a connection of config/queue.php, which has: ".implode(', ', $known)
                .'. Write a database as database:CONNECTION, such as database:mysql.',
        );
    }

    /** @param list<string> $known */
    public static function unknownDatabase(string $name, array $known): self
    {
        return new self(
            "'{$name}' is not a connection of config/database.php, which has: ".implode(', ', $known).'.',
        );
    }

    public static function noWorkers(string $name, string $driver): self
    {
        return new self(
            "'{$name}' has the driver '{$driver}', which runs or drops jobs at once."
                .' No job would wait for a worker.',
        );
    }

    /** @param list<string> $started */
    public static function notStarted(string $name, array $started): self
    {
        return new self(
            "'{$name}' is your own server, and --with-servers starts only: ".implode(', ', $started)
                .'. Name one of these, or measure your own without --with-servers.',
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
