<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * @internal
 */
final readonly class NoTimeouts implements Check
{
    /** For a reply, where no queue worker waits. */
    public const SECONDS = 2;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);
        $findings = $redis->clusters();

        foreach ($redis->inUse() as $name) {
            try {
                $finding = $this->finding($app, new ReplyTimeouts($app, $facts), $redis->client(), $name);
            } catch (FactUnavailable $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            }

            $findings[] = $finding->about("connection {$name}");
        }

        return $findings === [] ? [Finding::skipped('session, cache and queue do not use Redis')] : $findings;
    }

    private function finding(Application $app, ReplyTimeouts $replies, string $client, string $name): Finding
    {
        $settings = [];
        $evidence = [];

        // Predis has 5 seconds of its own to connect in.
        if ($client === 'phpredis') {
            [$key, $seconds, $evidence[]] = $replies->toConnect($name);
            $settings = $seconds > 0.0 ? [] : [$key => '1.0'];
        }

        $evidence[] = $replies->evidence($name);

        if (! $replies->hasLimit($name)) {
            $settings += $replies->advised($name, self::SECONDS);
        }

        if ($settings === []) {
            return Finding::pass('it gives up in time', ...$evidence);
        }

        $limits = array_filter(
            array_keys($settings),
            static fn (string $key): bool => str_starts_with($key, 'database.'),
        );
        $words = array_map(static fn (string $key): string => substr((string) strrchr($key, '.'), 1), $limits);
        $blocks = RedisQueue::on($app, $name) === []
            ? ''
            : ' Queue workers wait by it, so the limit of a reply is longer than the longest block_for (check R12).'
                .' A connection of their own lets requests give up earlier.';

        return Finding::warn(
            "The connection '{$name}' has no ".implode(' and no ', $words).'.',
            $evidence,
            'When Redis does not answer, each request waits for it instead of failing, 60 seconds by '
                .'default, and no process is left for those that need no Redis.',
            new Fix(
                'Set '.RedisQueue::words($settings)
                    .", for the connection '{$name}', in {$app->file('database')}.{$blocks}",
                $app->edits($settings),
                $app->recache(),
                'Take the lines back.',
            ),
        );
    }
}
