<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;

/**
 * @internal
 */
final readonly class PersistentPdo implements Check
{
    /** PDO::ATTR_PERSISTENT: PDO itself may not be installed. */
    private const PERSISTENT = 12;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $persistent = array_values(array_filter(
            $app->keys('database.connections'),
            static fn (string $name): bool => self::isPersistent($app->value("database.connections.{$name}.options")),
        ));

        return $persistent === [] ? [Finding::pass('no connection is persistent')] : array_map(
            static fn (string $name): Finding => self::ofConnection($app, $name)->about("connection {$name}"),
            $persistent,
        );
    }

    private static function isPersistent(mixed $options): bool
    {
        return is_array($options) && isset($options[self::PERSISTENT]) && $options[self::PERSISTENT] !== false;
    }

    private static function ofConnection(Application $app, string $name): Finding
    {
        return Finding::warn(
            "The connection '{$name}' is persistent.",
            [new Evidence("database.connections.{$name}.options", 'PDO::ATTR_PERSISTENT', 'config/database.php')],
            new Fix(
                "Remove PDO::ATTR_PERSISTENT from the options of '{$name}' in {$app->file('database')}."
                    .' If connecting is slow, a socket on the same machine or a pooler costs less than these risks.',
                commands: $app->recache(),
                rollback: 'Set the option again, then run the same commands.',
            ),
        );
    }
}
