<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

use function version_compare;

/**
 * Commands that subscribe, with a real Redis that closes idle connections after a second: what ends a subscription is
 * the limit of the client, and what the doctor says.
 */
final class SubscriptionTest extends ApplicationTestCase
{
    private RedisServer $redis;

    protected function setUp(): void
    {
        $this->redis = RedisServer::start(['timeout' => '1']);
        parent::setUp();
    }

    /** @return iterable<string, array{string, string, string, string, bool}> */
    public static function subscriptions(): iterable
    {
        $call = 'Redis::subscribe([\'x\'], var_dump(...));';
        $own = "Redis::connection('own')->psubscribe(['x'], var_dump(...));";
        $endless = 'ini_set(\'default_socket_timeout\', -1); ';
        yield 'phpredis with a limit' => ['phpredis', "'read_timeout' => 2", $call, 'warn', true];
        yield 'phpredis by a connection of its own, with a limit' => [
            'phpredis', "'read_timeout' => 2", $own, 'warn', true,
        ];
        yield 'phpredis without a limit' => ['phpredis', '', $endless.$own, 'pass', false];
        yield 'Predis with a limit' => ['predis', "'read_write_timeout' => 2", $own, 'warn', true];
        yield 'Predis without a limit' => ['predis', "'read_write_timeout' => 0", $own, 'pass', false];

        if (version_compare((string) phpversion('redis'), '6.0.0', '>=')) {
            yield 'phpredis without a limit, by its option' => [
                'phpredis', "'read_timeout' => -1", $own, 'pass', false,
            ];
        }
    }

    #[Test, Group('day-3')]
    #[DataProvider('subscriptions')]
    public function a_subscription_ends_as_the_doctor_says(
        string $client,
        string $option,
        string $call,
        string $status,
        bool $ends,
    ): void {
        $place = "['host' => '127.0.0.1', 'port' => {$this->redis->port}, {$option}]";
        $this->app->config(
            'database',
            "['redis' => ['client' => '{$client}', 'options' => ['prefix' => 'x'], 'default' => {$place},"
                ." 'own' => {$place}]]",
        );
        $this->app->write(
            'routes/console.php',
            "<?php\nuse Illuminate\\Support\\Facades\\{Artisan, Redis};\nArtisan::command('listen', function () {"
                ." {$call} });\n",
        );
        /** @var array{findings: list<array{status: string, evidence: list<array{value: string}>}>} $read */
        $read = json_decode(
            $this->app->artisan('headroom:doctor', '--only=R14', '--json')->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertSame([$status], array_column($read['findings'], 'status'));

        $listener = $this->app->process([Programs::php(), 'artisan', 'listen']);
        $listener->start();

        for ($patience = 300; $patience > 0 && $this->subscribers() === 0 && $listener->isRunning(); $patience--) {
            usleep(50_000);
        }

        self::assertSame(1, $this->subscribers(), $listener->getErrorOutput().$this->app->log());

        // The server closes an idle connection after a second, and the client is to give up after two.
        if ($ends) {
            $listener->setTimeout(30);
            $listener->wait();
            self::assertNotSame(0, $listener->getExitCode());
        } else {
            $idle = $this->redis->ask('CLIENT', 'LIST', 'TYPE', 'PUBSUB');

            for (; is_string($idle) && preg_match('/ idle=([4-9]|\d\d)/', $idle) !== 1; usleep(100_000)) {
                $idle = $this->redis->ask('CLIENT', 'LIST', 'TYPE', 'PUBSUB');
                self::assertTrue($listener->isRunning(), $this->app->log());
            }

            self::assertSame(1, $this->subscribers());
            $listener->stop(0);
        }
    }

    #[Test]
    public function other_calls_of_that_name_are_no_subscription(): void
    {
        $this->app->write('app/Listening.php', <<<'PHP'
            <?php
            // Redis::subscribe(['x']);
            final class Listening
            {
                public function subscribe(object $events): void { $events->subscribe('Redis::subscribe()'); Newsletter::subscribe(1); }
            }
            PHP);
        /** @var array{findings: list<array{status: string}>} $read */
        $read = json_decode(
            $this->app->artisan('headroom:doctor', '--only=R14', '--json')->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        self::assertSame(['skipped'], array_column($read['findings'], 'status'));
    }

    private function subscribers(): int
    {
        $clients = $this->redis->ask('CLIENT', 'LIST', 'TYPE', 'PUBSUB');

        return is_string($clients) ? substr_count($clients, 'id=') : 0;
    }
}
