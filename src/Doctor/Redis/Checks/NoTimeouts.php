<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
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
        $replies = new ReplyTimeouts($app, $facts);

        yield from $redis->clusters();

        foreach ($redis->connections() as $name) {
            yield Finding::from(static fn (): Finding => self::ofConnection($app, $replies, $redis->client(), $name))
                ->about("connection {$name}");
        }
    }

    private static function ofConnection(
        Application $app,
        ReplyTimeouts $replies,
        string $client,
        string $name,
    ): Finding {
        // Predis connects within 5 seconds by default.
        [$key, $seconds, $connecting] = $client === 'phpredis' ? $replies->toConnect($name) : ['', 1.0, null];
        $evidence = [$connecting, $replies->evidence($name)];
        $settings = [
            ...($seconds > 0.0 ? [] : [$key => self::TO_CONNECT]),
            ...($replies->hasLimit($name) ? [] : $replies->advised($name, self::SECONDS)),
        ];
        $missing = [
            ...($seconds > 0.0 ? [] : ['timeout']),
            ...($replies->hasLimit($name) ? [] : [$replies->option($name)]),
        ];

        return $settings === [] ? Finding::pass('the connection has a time limit', ...$evidence) : Finding::warn(
            "The connection '{$name}' has no ".implode(' and no ', $missing).'.',
            $evidence,
            $app->fix($settings),
        );
    }
}
