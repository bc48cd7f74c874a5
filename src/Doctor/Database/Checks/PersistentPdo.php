<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class PersistentPdo implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'D3',
            'Persistent connections to the SQL server carry over what the last request left',
            Severity::High,
            Layer::Database,
            'PDO gives a persistent connection to the next request as the last one left it: with its open transaction,'
                .' its locks, its temporary tables and whatever SET changed. A request that dies in a transaction'
                .' leaves rows locked until another one happens to commit them.',
            'A connection of the application has PDO::ATTR_PERSISTENT among its options.',
            ['https://www.php.net/manual/en/features.persistent-connections.php'],
            10,
        );
    }

    public function examine(Facts $facts): array
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
                        $app->isCached('config') ? ['php artisan config:cache'] : [],
                        'Put it back.',
                        'headroom doctor --only=D3',
                    ),
                )->about("connection {$name}");
            }
        }

        return $findings === [] ? [Finding::pass('no connection is persistent')] : $findings;
    }
}
