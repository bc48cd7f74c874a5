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
    /** Of Laravel: its configuration reads REDIS_PERSISTENT. */
    private const SINCE = '11.43';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);
        $evidence = [];
        $fresh = [];

        foreach ($redis->used() as $part => $name) {
            $evidence[] = new Evidence($part, "connection {$name} of Redis", "config/{$part}.php");
        }

        foreach ($redis->inUse() as $name) {
            $key = $redis->persistenceKey($name);
            // An option of all connections is one value.
            $evidence[$key ?? $name] = $key === null
                ? new Evidence("database.redis.{$name}.persistent", 'not set', 'config/database.php')
                : $app->evidence($key);

            if (! $redis->isPersistent($name)) {
                $fresh[] = $name;
            }
        }

        if ($redis->inUse() === []) {
            return $redis->clusters() === []
                ? [Finding::skipped('session, cache and queue do not use Redis')]
                : $redis->clusters();
        }

        $evidence = array_values($evidence);

        if ($fresh === []) {
            $pass = Finding::pass('connections to Redis are kept from request to request', ...$evidence);

            return [...$redis->clusters(), $pass];
        }

        return [...$redis->clusters(), Finding::warn(
            'A request opens '.count($fresh).' new connection'.(count($fresh) === 1 ? '' : 's').' to Redis: '
                .implode(', ', $fresh).'.',
            $evidence,
            'Requests wait for connect() while all CPUs are idle, and the more of them there are at once, the longer.',
            $this->fix($app, $redis, $fresh)->with($this->reload($facts, $app)),
        )];
    }

    /** @param non-empty-list<string> $fresh */
    private function fix(Application $app, RedisUsage $redis, array $fresh): Fix
    {
        $text = 'Keep connections, and let each say which database it means (check R2).';
        $back = 'Take the line back, and reload PHP-FPM again.';

        if ($redis->persistenceKey($fresh[0]) !== 'database.redis.options.persistent') {
            $value = $app->isAtLeast(self::SINCE) ? "env('REDIS_PERSISTENT', true)" : 'true';

            return new Fix(
                "{$text} Put 'persistent' => {$value} into the section redis.options of {$app->file('database')}.",
                [],
                $app->recache(),
                $back,
            );
        }

        $fix = $app->setting('REDIS_PERSISTENT', 'true', $text, $back);
        $without = array_filter(
            $redis->all(),
            static fn (string $name): bool => $redis->leavesDatabaseTo($name) !== [],
        );

        $settings = array_fill_keys(
            array_map(static fn (string $name): string => "database.redis.{$name}.database", array_values($without)),
            '0',
        );
        $more = $settings === [] ? '' : ' Before that, set '.RedisQueue::words($settings).'.';
        // Where no variable is read, the value itself stands in the file.
        $settings += $fix->edits === [] ? ['database.redis.options.persistent' => 'true'] : [];
        $edits = $app->edits($settings);

        return new Fix(
            $fix->text.$more,
            $settings !== [] && $edits === [] ? [] : [...$fix->edits, ...$edits],
            $fix->commands,
            $fix->rollback,
        );
    }

    /** Of several PHP-FPMs the one that serves this application, where that can be told. */
    private function reload(Facts $facts, Application $app): string
    {
        try {
            $pool = $facts->find(FpmPools::class)?->serving($app->basePath);
        } catch (FactUnavailable) {
            $pool = null;
        }

        return $pool?->reload() ?? FpmPool::RELOAD_OF_ANOTHER;
    }
}
