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
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $findings = [];

        foreach ($app->keys('database.connections') as $name) {
            $options = $app->value("database.connections.{$name}.options");

            // PDO::ATTR_PERSISTENT, where PDO itself may not be installed.
            if (is_array($options) && isset($options[12]) && $options[12] !== false) {
                $findings[] = Finding::warn(
                    "The connection '{$name}' is persistent.",
                    [new Evidence(
                        "database.connections.{$name}.options",
                        'PDO::ATTR_PERSISTENT',
                        'config/database.php',
                    )],
                    'Locks and open transactions outlive the request that they belong to.',
                    new Fix(
                        "Take PDO::ATTR_PERSISTENT out of the options of '{$name}' in {$app->file('database')}."
                            .' Where connecting is slow, a socket on the same machine or a pooler between them costs'
                            .' less than what this risks.',
                        [],
                        $app->recache(),
                        'Put it back.',
                    ),
                )->about("connection {$name}");
            }
        }

        return $findings === [] ? [Finding::pass('no connection is persistent')] : $findings;
    }
}
