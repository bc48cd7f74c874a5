<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
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
    /** For a reply, if no queue worker waits. */
    public const SECONDS = 2;

    private const TO_CONNECT = '1.0';

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);
        $findings = $redis->clusters();

        foreach ($redis->inUse() as $name) {
            $findings[] = Finding::from(static fn (): Finding => self::ofConnection(
                $app,
                new ReplyTimeouts($app, $facts),
                $redis->client(),
                $name,
            ))->about("connection {$name}");
        }

        return $findings === [] ? [Finding::skipped('session, cache and queue do not use Redis')] : $findings;
    }

    private static function ofConnection(
        Application $app,
        ReplyTimeouts $replies,
        string $client,
        string $name,
    ): Finding {
        $settings = [];
        $evidence = [];

        // Predis connects within 5 seconds by default.
        if ($client === 'phpredis') {
            [$key, $seconds, $evidence[]] = $replies->toConnect($name);
            $settings = $seconds > 0.0 ? [] : [$key => self::TO_CONNECT];
        }

        $evidence[] = $replies->evidence($name);

        if (! $replies->hasLimit($name)) {
            $settings += $replies->advised($name, self::SECONDS);
        }

        return $settings === [] ? Finding::pass('the connection has a time limit', ...$evidence) : Finding::warn(
            "The connection '{$name}' has no ".implode(' and no ', self::missing($settings)).'.',
            $evidence,
            'When Redis does not answer, each request waits for it instead of failing, 60 seconds by default, and no'
                .' process is left for requests that do not need Redis.',
            self::fix($app, $name, $settings),
        );
    }

    /**
     * @param array<string, string> $settings
     * @return list<string>
     */
    private static function missing(array $settings): array
    {
        $keys = array_filter(
            array_keys($settings),
            static fn (string $key): bool => str_starts_with($key, 'database.'),
        );

        return array_map(
            static fn (string $key): string => substr((string) strrchr($key, '.'), 1),
            array_values($keys),
        );
    }

    /** @param array<string, string> $settings */
    private static function fix(Application $app, string $name, array $settings): Fix
    {
        $blocks = RedisQueue::on($app, $name) === []
            ? ''
            : ' Queue workers block on it, so the limit of a reply must be longer than the longest block_for (check'
                .' R12). With a connection of their own, requests can give up earlier.';

        return $app->fix(
            'Set '.RedisQueue::phrase($settings)
                .", for the connection '{$name}', in {$app->file('database')}.{$blocks}",
            $settings,
        );
    }
}
