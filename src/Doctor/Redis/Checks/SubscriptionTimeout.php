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
use Headroom\Doctor\Redis\RedisSubscription;
use Headroom\Doctor\Redis\RedisSubscriptions;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * @internal
 */
final readonly class SubscriptionTimeout implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);

        foreach ($facts->get(RedisSubscriptions::class)->calls as $call) {
            yield Finding::from(static fn (): Finding => self::ofCall($app, $facts, $call))->about($call->place);
        }
    }

    private static function ofCall(Application $app, Facts $facts, RedisSubscription $call): Finding
    {
        $name = $call->connection ?? throw FactUnavailable::because(
            "The connection of {$call->place} is known only when it runs.",
            'artisan config:show database.redis',
        );
        $redis = new RedisUsage($app);
        $reply = (new ReplyTimeouts($app, $facts))->of($name);
        $isShared = in_array($name, $redis->used(), true);
        $hasOwn = $call->setsDefault && $reply->key === null && $redis->client() === 'phpredis';
        $waits = $reply->seconds === null || $hasOwn;
        $evidence = [new Evidence('subscribe()', "connection '{$name}'", $call->place), ...$reply->evidence];

        return ! $isShared && $waits ? Finding::pass('the client waits without a limit', ...$evidence) : Finding::warn(
            match (true) {
                $reply->isRefused() => "This phpredis refuses the negative read_timeout of the connection '{$name}'.",
                $waits => "The subscription uses the connection '{$name}', which requests use as well.",
                default =>
                    "The connection '{$name}' gives up after {$reply->seconds} s without a message ({$reply->option}).",
            },
            $evidence,
            new Fix(commands: $app->recache(), rollback: 'Remove the connection.'),
        );
    }
}
