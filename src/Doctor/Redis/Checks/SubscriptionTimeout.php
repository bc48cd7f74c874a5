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
        $findings = [];

        foreach ($facts->get(RedisSubscriptions::class)->calls as $call) {
            $findings[] = Finding::from(static fn (): Finding => self::ofCall($app, $facts, $call))
                ->about($call->place);
        }

        return $findings === []
            ? [Finding::skipped('the code of the application does not call Redis::subscribe()')]
            : $findings;
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
                $reply->isRefused() =>
                    "This phpredis refuses the negative read_timeout of the connection '{$name}'.",
                $waits => "The subscription uses the connection '{$name}', which requests use as well.",
                default =>
                    "The connection '{$name}' gives up after {$reply->seconds} s without a message ({$reply->option}).",
            },
            $evidence,
            'The command ends when no message arrives for that long, and messages are lost until it runs again.',
            self::fix($app, $redis->client(), $reply->option),
        );
    }

    private static function fix(Application $app, string $client, string $option): Fix
    {
        $value = $client === 'predis' ? '0' : '-1';

        return new Fix(
            "Give subscriptions a connection of their own in {$app->file('database')}, such as 'subscriber' => "
                ."[..., '{$option}' => {$value}], and call Redis::connection('subscriber')->subscribe()."
                .($client === 'predis' ? '' : ' phpredis before 6.0 accepts no negative value: leave it out, and call '
                ."ini_set('default_socket_timeout', -1) before."),
            commands: $app->recache(),
            rollback: 'Remove the connection.',
        );
    }
}
