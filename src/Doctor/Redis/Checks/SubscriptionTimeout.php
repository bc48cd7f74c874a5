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
            try {
                $finding = $this->of($app, $facts, $call);
            } catch (FactUnavailable $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            }

            $findings[] = $finding->about($call->place);
        }

        return $findings === [] ? [
            Finding::skipped('the code of the application calls no Redis::subscribe()'),
        ] : $findings;
    }

    private function of(Application $app, Facts $facts, RedisSubscription $call): Finding
    {
        $name = $call->connection ?? throw FactUnavailable::because(
            "By which connection {$call->place} subscribes is known only when it runs.",
            'artisan config:show database.redis',
        );
        $redis = new RedisUsage($app);
        $reply = (new ReplyTimeouts($app, $facts))->of($name);
        $isShared = in_array($name, $redis->used(), true);
        $hasOwn = $call->setsDefault && $reply->key === null && $redis->client() === 'phpredis';
        $evidence = [new Evidence('subscribe()', "connection '{$name}'", $call->place), ...$reply->evidence];

        if (! $isShared && ($reply->seconds === null || $hasOwn)) {
            return Finding::pass('its client waits without a limit', ...$evidence);
        }

        return Finding::warn(
            match (true) {
                $reply->isRefused() =>
                    "This phpredis refuses the read_timeout of the connection '{$name}', which is negative.",
                $reply->seconds === null || $hasOwn => "It uses the connection '{$name}', which requests use as well.",
                default =>
                    "Its connection '{$name}' gives up after {$reply->seconds} s without a message ({$reply->option}).",
            },
            $evidence,
            'The command ends when no message comes for that long, and messages are lost until it runs again.',
            $this->fix($app, $redis->client(), $reply->option),
        );
    }

    private function fix(Application $app, string $client, string $option): Fix
    {
        $value = $client === 'predis' ? '0' : '-1';

        return new Fix(
            "Give subscriptions a connection of their own in {$app->file('database')}, such as 'subscriber' => "
                ."[..., '{$option}' => {$value}], and call Redis::connection('subscriber')->subscribe()."
                .($client === 'predis' ? '' : ' phpredis before 6.0 takes no negative one: leave it out, and call '
                ."ini_set('default_socket_timeout', -1) before."),
            [],
            $app->recache(),
            'Take the connection away again.',
        );
    }
}
