<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Closure;
use Headroom\Cli\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Host\DelayProxy;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * Real stacks that stall, each for one reason, and one that does not: the doctor names it under load.
 */
final class LiveDiagnosisTest extends TestCase
{
    #[Test]
    public function new_connections_to_redis_are_named_with_how_many_a_request_opens(): void
    {
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 20.0);
        $stack = new Stack(script: <<<PHP
            <?php
            foreach ([0, 1] as \$database) {
                \$redis = new Redis;
                \$redis->connect('127.0.0.1', {$way->port});
                \$redis->select(\$database);
            }
            echo 'served';
            PHP);

        $live = self::live($stack, self::application($way->port));

        self::assertSame('redis-connections', $live['cause']['id'], self::told($live));
        self::assertMatchesRegularExpression('~\ARequests wait for Redis 127\.0\.0\.1:'.$way->port.': [34] of 4 PHP-FPM processes wait for it, each request opens (1\.[6-9]|2\.[0-4]) new connections~', $live['sentence']);
        self::assertSame('R1', $live['fix_of']);
    }

    /** @return Closure(): array<class-string, Closure(Facts): object> */
    private static function application(int $port): Closure
    {
        $facts = Applications::with(['database.redis.options.persistent' => false, 'database.redis.default.port' => (string) $port, 'database.redis.cache.port' => (string) $port]);

        return static fn (): array => [Application::class => static fn (): Application => $facts->get(Application::class)];
    }

    /**
     * @param ?Closure(): array<class-string, Closure(Facts): object> $more
     * @param array<string, string> $options
     * @return array<string, mixed>
     */
    private static function live(Stack $stack, ?Closure $more = null, array $options = [], string $query = ''): array
    {
        $command = new CommandTester(new DoctorCommand(Checks::all(), static fn (): Facts => $stack->facts($more === null ? [] : $more()), new SystemClock));
        $command->execute(['--url' => $stack->url($query), '--json' => true, '--duration' => '5', '--concurrency' => '20', ...$options]);
        $document = json_decode($command->getDisplay(), true, 64, JSON_THROW_ON_ERROR);
        self::assertIsArray($document);

        return $document['live'];
    }

    /** @param array<string, mixed> $live */
    private static function told(array $live): string
    {
        unset($live['samples']);

        return (string) json_encode($live, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES);
    }
}
