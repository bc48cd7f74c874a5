<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class ConnectPerRequest implements Check
{
    /** The version of Laravel whose configuration reads REDIS_PERSISTENT. */
    private const SINCE = '11.43';

    private const ALL = 'database.redis.options.persistent';

    private const KEEP = 'Keep connections open, and name the database of each connection (check R2).';

    private const UNDO = 'Restore the settings, run the same commands, and reload PHP-FPM.';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);

        if ($redis->inUse() === []) {
            return $redis->clusters() === []
                ? [Finding::skipped('session, cache and queue do not use Redis')]
                : $redis->clusters();
        }

        $new = array_values(array_filter(
            $redis->inUse(),
            static fn (string $name): bool => ! $redis->isPersistent($name),
        ));
        $evidence = self::evidence($app, $redis);

        return [...$redis->clusters(), $new === []
            ? Finding::pass('requests use open connections to Redis', ...$evidence)
            : Finding::warn(
                'A request opens '.count($new).' new connection'.(count($new) === 1 ? '' : 's').' to Redis: '
                    .implode(', ', $new).'.',
                $evidence,
                'Requests wait for connect() while all CPUs are idle. The more requests at once, the longer they wait.',
                self::fix($app, $redis, $new[0])->with(self::reload($facts, $app)),
            ),
        ];
    }

    /** @return list<Evidence> */
    private static function evidence(Application $app, RedisUsage $redis): array
    {
        $evidence = [];

        foreach ($redis->used() as $part => $name) {
            $evidence[] = new Evidence($part, "connection {$name} of Redis", "config/{$part}.php");
        }

        foreach ($redis->inUse() as $name) {
            $key = $redis->persistenceKey($name);
            // An option of all connections is shown once.
            $evidence[$key ?? $name] = $key === null
                ? new Evidence("database.redis.{$name}.persistent", 'not set', 'config/database.php')
                : $app->evidence($key);
        }

        return array_values($evidence);
    }

    /** @param string $first of the connections that are not persistent */
    private static function fix(Application $app, RedisUsage $redis, string $first): Fix
    {
        if ($redis->persistenceKey($first) !== self::ALL) {
            $value = $app->isAtLeast(self::SINCE) ? "env('REDIS_PERSISTENT', true)" : 'true';

            return new Fix(
                self::KEEP." Put 'persistent' => {$value} into the section redis.options of {$app->file('database')}.",
                commands: $app->recache(),
                rollback: self::UNDO,
            );
        }

        $fix = $app->setting('REDIS_PERSISTENT', 'true', self::KEEP, self::UNDO);
        $settings = self::databases($redis);
        $more = $settings === [] ? '' : ' Before that, set '.RedisQueue::phrase($settings).'.';
        // If the file reads no variable, the value itself goes into the file.
        $settings += $fix->edits === [] ? [self::ALL => 'true'] : [];
        $edits = $app->edits($settings);

        return new Fix(
            $fix->text.$more,
            $settings !== [] && $edits === [] ? [] : [...$fix->edits, ...$edits],
            $fix->commands,
            self::UNDO,
        );
    }

    /** @return array<string, string> code by key, of the connections that name no database */
    private static function databases(RedisUsage $redis): array
    {
        $without = array_filter(
            $redis->all(),
            static fn (string $name): bool => $redis->leavesDatabaseTo($name) !== [],
        );

        return array_fill_keys(
            array_map(static fn (string $name): string => "database.redis.{$name}.database", array_values($without)),
            '0',
        );
    }

    /** Of several PHP-FPMs the one that serves this application, if that is known. */
    private static function reload(Facts $facts, Application $app): string
    {
        try {
            $pool = $facts->find(FpmPools::class)?->serving($app->basePath);
        } catch (FactUnavailable) {
            $pool = null;
        }

        return $pool?->reload() ?? FpmPool::RELOAD_OF_ANOTHER;
    }
}
