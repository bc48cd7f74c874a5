<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * docs/collector.md, followed in a Laravel application that has nothing yet, up to a row in the page's own table.
 */
final class CollectorGuideTest extends TestCase
{
    private const PATIENCE = 1_500;

    private ScratchApplication $application;

    private ?Process $collector = null;

    protected function setUp(): void
    {
        $this->application = ScratchApplication::onThisCheckout();
    }

    protected function tearDown(): void
    {
        $this->collector?->stop(20, SIGKILL);
        $this->application->remove();
    }

    #[Test, Group('day-3')]
    public function an_event_sent_twice_is_one_row_of_the_table_on_the_page(): void
    {
        $this->makeTable();
        [$elasticsearch, $database] = (new Guide)->examples('Where events go', 'php');
        self::assertStringContainsString("'sink' => 'elasticsearch'", $elasticsearch);
        $this->application->config(
            'spool',
            "['path' => storage_path('spool'), 'min_free_bytes' => 0, 'buckets' => [{$database}]]",
        );
        self::assertSame(0, $this->application->artisan('vendor:publish', '--tag=headroom')->exit);
        $made = $this->application->artisan('headroom:collect:key', 'create', 'shop');
        self::assertSame(1, preg_match('/^  (hrk_\S+)$/m', $made->out, $key), $made->all());

        $address = $this->collect();
        $event =
            '{"type": "order.placed", "id": "o-1", "time": "2026-07-14T05:33:20.5+02:00", "data": {"total": 19.90}}';
        self::assertSame('{"accepted":1,"rejected":0,"errors":[]}', trim($this->send($address, $key[1], $event)));
        $this->await(fn (): bool => count($this->application->rows('select * from events')) === 1);
        $this->send($address, $key[1], $event);
        $this->send($address, $key[1], '{"type": "order.placed", "id": "o-2"}');
        $this->await(fn (): bool => count($this->application->rows('select * from events')) > 1);

        $rows = $this->application->rows('select id, source, type, time, key, data from events order by id');
        self::assertSame(['o-1', 'o-2'], array_column($rows, 'id'));
        self::assertSame(
            [
                'source' => 'shop',
                'type' => 'order.placed',
                'time' => '2026-07-14 03:33:20',
                'key' => 'shop',
                'data' => '{"total": 19.90}',
            ],
            array_intersect_key($rows[0], ['source' => 1, 'type' => 1, 'time' => 1, 'key' => 1, 'data' => 1]),
        );
        self::assertSame(0, $this->application->artisan('headroom:collect:stop')->exit);
    }

    #[Test]
    public function without_a_bucket_events_wait_and_the_start_message_says_so(): void
    {
        $made = $this->application->artisan('headroom:collect:key', 'create', 'shop', '--json');
        $key = json_decode($made->out, true);
        self::assertIsArray($key);
        self::assertIsString($key['key']);
        $address = $this->collect();

        self::assertStringContainsString('"accepted":1', $this->send($address, $key['key'], '{"type":"t"}'));
        $log = (string) $this->collector?->getErrorOutput();
        self::assertMatchesRegularExpression("/ .*'events'.*'sink' .*spool\.buckets/", $log);
    }

    private function makeTable(): void
    {
        $table = (new Guide)->examples('Where events go', 'php')[2];
        $this->application->write('database/events-table.php', "<?php\n\n{$table}");
        $this->application->write(
            'database/migrations/2026_02_01_000000_create_events_table.php',
            <<<'PHP'
                <?php

                return new class extends Illuminate\Database\Migrations\Migration {
                    public function up(): void
                    {
                        require database_path('events-table.php');
                    }
                };
                PHP,
        );
        $this->application->migrate();
    }

    /** @return string where it listens */
    private function collect(): string
    {
        $this->collector = $this->application->process(
            [Programs::php(), 'artisan', 'headroom:collect'],
            ['HEADROOM_LISTEN' => '127.0.0.1:0', 'HEADROOM_ADMIN' => '127.0.0.1:0', 'HEADROOM_WORKERS' => '1'],
        );
        $this->collector->start();
        $address = '';
        $this->await(function () use (&$address): bool {
            $isReady = preg_match('/ready: (127\.0\.0\.1:\d+)\b/', (string) $this->collector?->getErrorOutput(), $ready)
                === 1;
            $address = $ready[1] ?? '';

            return $isReady;
        });

        return $address;
    }

    private function send(string $address, string $key, string $body): string
    {
        return (string) file_get_contents(
            "http://{$address}/v1/events",
            false,
            stream_context_create(['http' => [
                'method' => 'POST',
                'header' => ['Content-Type: application/json', "Authorization: Bearer {$key}"],
                'content' => $body,
                'ignore_errors' => true,
                'timeout' => 20,
            ]]),
        );
    }

    /** @param callable(): bool $what */
    private function await(callable $what): void
    {
        for ($left = self::PATIENCE; ! $what(); $left--) {
            self::assertGreaterThan(
                0,
                $left,
                $this->collector?->getErrorOutput().$this->collector?->getOutput().$this->application->log(),
            );
            usleep(20_000);
        }
    }
}
