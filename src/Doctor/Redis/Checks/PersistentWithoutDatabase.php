<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class PersistentWithoutDatabase implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);
        $findings = [];

        foreach ($redis->all() as $name) {
            if (! $redis->isPersistent($name)) {
                continue;
            }

            $evidence = [
                $app->evidence($redis->persistenceKey($name) ?? 'database.redis.options.persistent'),
                $app->evidence("database.redis.{$name}.database"),
            ];
            $others = $redis->leavesDatabaseTo($name);

            $findings[] = ($others !== []
                ? $this->finding($app, $name, $others, $evidence)
                : Finding::pass(
                    'it says which database it means, or is the only one there',
                    ...$evidence,
                ))->about("connection {$name}");
        }

        return $findings === [] ? [Finding::skipped('no connection to Redis is persistent')] : $findings;
    }

    /**
     * @param non-empty-list<string> $others
     * @param list<Evidence> $evidence
     */
    private function finding(Application $app, string $name, array $others, array $evidence): Finding
    {
        return Finding::fail(
            "The connection '{$name}' has no database, and shares its address with "
                .(count($others) === 1 ? 'one that has' : 'others that have').': '.implode(', ', $others).'.',
            [
                ...$evidence,
                ...array_map(
                    static fn (string $other): Evidence => $app->evidence("database.redis.{$other}.database"),
                    $others,
                ),
            ],
            'Its keys land in the database that the connection was in before, and are not found again by the'
                .' next request.',
            new Fix(
                "Set 'database' of the connection '{$name}' in {$app->file('database')}, to 0 if it means the first.",
                $app->edits(["database.redis.{$name}.database" => '0']),
                $app->recache(),
                'Take the line back.',
            ),
        );
    }
}
