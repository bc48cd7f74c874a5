<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * docs/containers.md: several containers of one machine share a volume. As the kernel sees it, a container is a set of
 * processes with process ids of their own: pid_namespaces(7).
 */
final class SharedVolumeTest extends ApplicationTestCase
{
    private const EVENTS = 300;

    private const PROGRAM = <<<'PHP'
        <?php

        require __DIR__.'/bootstrap/autoload.php';
        $app = require __DIR__.'/bootstrap/app.php';
        $app->make(Illuminate\Contracts\Console\Kernel::class)->bootstrap();

        for ($i = 0; $i < (int) $argv[2]; $i++) {
            Headroom\Laravel\Facades\Buffer::bucket($i % 2 === 0 ? 'api-events' : 'others')->add(
                ['event' => "{$argv[1]}-{$i}"],
            );
        }
        PHP;

    /** @var list<string> */
    private const CONTAINER = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child', '--'];

    private ?Process $worker = null;

    protected function setUp(): void
    {
        $true = new Process([...self::CONTAINER, 'true']);

        if ((new ExecutableFinder)->find('unshare') === null || $true->run() !== 0) {
            self::markTestSkipped('This user cannot make process namespaces; it needs root and unshare(1).');
        }

        parent::setUp();
        $sink = "['sink' => 'database', 'table' => 'api_events']";
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'heartbeats' => false, 'buckets' => ['api-events' =>"
                ." {$sink}, 'others' => {$sink}]]",
        );
        $this->app->migrate();
        $this->app->write('buffer.php', self::PROGRAM);
    }

    protected function tearDown(): void
    {
        $this->worker?->stop(0);
        parent::tearDown();
    }

    #[Test]
    public function two_containers_buffer_while_the_workers_of_others_deliver_and_die(): void
    {
        $this->startWorker();
        $writers = array_map(
            fn (string $name): Process => $this->start(Programs::php(), 'buffer.php', $name, (string) self::EVENTS),
            ['a', 'b'],
        );
        $this->awaitRow();
        $this->worker?->stop(0, SIGKILL);
        $this->startWorker();

        foreach ($writers as $writer) {
            self::assertSame(0, $writer->wait(), $writer->getErrorOutput());
        }

        $this->worker?->stop(0, SIGKILL);
        $flushed = $this->app->artisan('spool:flush');
        self::assertSame(0, $flushed->exit, $flushed->all());
        self::assertSame(
            [['n' => 2 * self::EVENTS, 'd' => 2 * self::EVENTS]],
            $this->app->rows('select count(*) as n, count(distinct event) as d from api_events'),
        );
    }

    private function awaitRow(): void
    {
        for ($end = microtime(true) + 30; $this->app->rows('select 1 from api_events limit 1') === []; usleep(5_000)) {
            self::assertLessThan($end, microtime(true), 'The worker of another container delivers nothing.');
        }
    }

    private function startWorker(): void
    {
        $this->worker = $this->start(Programs::php(), 'artisan', 'spool:work', '--sleep=0.1');
    }

    private function start(string ...$command): Process
    {
        $process = $this->app->process([...self::CONTAINER, ...array_values($command)]);
        $process->start();

        return $process;
    }
}
