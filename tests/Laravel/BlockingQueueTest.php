<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Doctor\Planted\PrintedFix;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Process;

/**
 * A worker that blocks longer than its client waits, with a real Redis: what the doctor says, what the worker logs,
 * and both after the fix.
 */
final class BlockingQueueTest extends ApplicationTestCase
{
    private RedisServer $redis;

    protected function setUp(): void
    {
        $this->redis = RedisServer::start();
        parent::setUp();
    }

    #[Test, Group('day-1')]
    #[TestWith(['phpredis', 'read_timeout', '/read error on connection/'])]
    #[TestWith(['predis', 'read_write_timeout', '/Operation has timed out/'])]
    public function an_idle_worker_fails_as_the_doctor_says_until_its_fix_is_done(
        string $client,
        string $option,
        string $error,
    ): void {
        $this->app->config(
            'queue',
            "['default' => 'sync', 'connections' => ['sync' => ['driver' => 'sync'], 'redis' => ['driver' "
                ."=> 'redis', 'connection' => 'default', 'queue' => 'idle', 'retry_after' => 90, 'block_for' => "
                .'2]]]',
        );
        $this->app->config(
            'database',
            "['redis' => ['client' => '{$client}', 'options' => ['prefix' => 'x'], 'default' => ['host' => "
                ."'127.0.0.1', 'port' => {$this->redis->port}, '{$option}' => 1]]]",
        );
        $finding = $this->finding();

        self::assertSame('fail', $finding['status']);
        self::assertContains(
            ['queue.connections.redis.block_for', '2'],
            array_map(
                static fn (array $evidence): array => [$evidence['what'], $evidence['value']],
                $finding['evidence'],
            ),
        );
        self::assertContains(
            ["database.redis.default.{$option}", '1'],
            array_map(
                static fn (array $evidence): array => [$evidence['what'], $evidence['value']],
                $finding['evidence'],
            ),
        );
        self::assertMatchesRegularExpression($error, $this->work());

        self::assertNotNull($finding['fix']);
        self::assertNotSame([], $finding['fix']['edits']);
        PrintedFix::of($finding['fix'])->apply(static fn () => null);

        self::assertSame('pass', $this->finding()['status']);
        self::assertDoesNotMatchRegularExpression($error, $this->work());
    }

    #[Test]
    public function the_workbench_does_not_have_the_fault(): void
    {
        $process = new Process(
            [Programs::php(), 'artisan', 'headroom:doctor', '--only=R12', '--json'],
            dirname(__DIR__, 2).'/workbench',
        );
        $process->run();
        /** @var array{findings: list<array{status: string}>} $read */
        $read = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);

        self::assertSame(['pass'], array_column($read['findings'], 'status'), $process->getOutput());
    }

    /**
     * @return array{
     *     status: string,
     *     evidence: list<array{what: string, value: string}>,
     *     fix: ?array{
     *         edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *         commands: list<string>,
     *     },
     * }
     */
    private function finding(): array
    {
        /**
         * @var array{
         *     findings: list<array{
         *         status: string,
         *         evidence: list<array{what: string, value: string}>,
         *         fix: ?array{
         *             edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
         *             commands: list<string>,
         *         },
         *     }>,
         * } $read
         */
        $read = json_decode(
            $this->app->artisan('headroom:doctor', '--only=R12', '--json')->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertCount(1, $read['findings']);

        return $read['findings'][0];
    }

    /** @return string what it wrote and logged while the queue was empty, for longer than it blocks */
    private function work(): string
    {
        $worker = $this->app->process(
            [Programs::php(), 'artisan', 'queue:work', 'redis', '--queue=idle', '--max-time=4', '--sleep=0'],
        );
        $worker->setTimeout(60);
        $worker->run();
        self::assertSame(0, $worker->getExitCode(), $worker->getErrorOutput());
        $log = $this->app->log();
        file_put_contents($this->app->path('storage/logs/laravel.log'), '');

        return $worker->getOutput().$worker->getErrorOutput().$log;
    }
}
