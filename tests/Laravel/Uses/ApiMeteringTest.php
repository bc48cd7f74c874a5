<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Headroom\Tests\Support\Fetched;
use Headroom\Tests\Support\Sentence;
use Illuminate\Database\DatabaseManager;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class ApiMeteringTest extends TestCase
{
    private const ROOT = WorkbenchApplication::ROOT;

    private ?WorkbenchApplication $workbench = null;

    private ?TemporaryDirectory $directory = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->directory?->remove();
    }

    #[Test, Group('day-2')]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function calls_on_two_nodes_that_flush_at_once_are_counted_to_the_call(WorkbenchDatabase $database): void
    {
        $environment = $database->environment();
        $this->directory = $directory = TemporaryDirectory::create('metering');

        if ($database === WorkbenchDatabase::Sqlite) {
            // Not in the storage, which each node has for itself.
            $environment['DB_DATABASE'] = $directory->file('shared.sqlite');
            touch($environment['DB_DATABASE']);
        }

        $this->workbench = WorkbenchApplication::boot($environment)->migrate();
        $environment['HEADROOM_AUTOLOAD'] = array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php';
        $nodes = array_map(
            static fn (string $name): array => [...$environment, 'WORKBENCH_STORAGE' => $directory->file($name)],
            ['one', 'other'],
        );
        $expected = [];

        foreach ([1, 2, 3] as $round) {
            foreach ($nodes as $number => $node) {
                foreach ($this->calls($node, $number + $round) as $key => [$calls, $errors]) {
                    $expected[$key] = [($expected[$key][0] ?? 0) + $calls, ($expected[$key][1] ?? 0) + $errors];
                }
            }

            $this->flushAtOnce($nodes);
        }

        ksort($expected);
        self::assertSame($expected, $this->usage());
        self::assertSame(180, array_sum(array_column($expected, 0)));
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_call_that_cannot_be_counted_becomes_a_dead_letter_with_the_reason(
        WorkbenchDatabase $database,
    ): void {
        $this->workbench = WorkbenchApplication::boot($database->environment())->migrate();

        for ($call = 0; $call < 30; $call++) {
            Buffer::bucket('api-usage')->add([
                ...($call === 17 ? [] : ['api_key' => 'key-'.$call % 3]),
                'hour' => '2026-03-01 12:00:00',
                'calls' => 1,
            ]);
        }

        $this->workbench->artisan('spool:flush');
        $letters = $this->workbench->artisan('spool:failed', ['bucket' => 'api-usage', '--json' => true]);

        Sentence::assertNames(['api_key', "'unique'"], stripslashes($letters));
        self::assertSame(1, substr_count($letters, '"reason"'));
        self::assertSame(['key-0' => [10, 0], 'key-1' => [10, 0], 'key-2' => [9, 0]], $this->usage());
    }

    #[Test]
    public function the_page_shows_the_code_of_the_workbench(): void
    {
        UsePage::of('api-metering')->shows(
            ['database/migrations/2025_01_01_000003_create_api_usage_table.php', '/^ +Schema::create.*?^ +}\);$/ms'],
            ['config/spool.php', "/^ +'api-usage' => \\[\n.*?^ +\\],$/ms"],
            ['app/Http/Middleware/MeterApiCalls.php', '/^final class .*/ms'],
        );
    }

    /**
     * @param array<string, string> $node
     * @return array<string, array{int, int}> calls and errors by key
     */
    private function calls(array $node, int $seed): array
    {
        $server = BuiltInServer::start(new WebConfig(
            (string) realpath(self::ROOT.'/public/index.php'),
            workers: 2,
            user: 'root',
            env: $node,
        ));
        $made = [];

        try {
            for ($call = 0; $call < 30; $call++) {
                [$key, $isBad] = ['key-'.($call * 7 + $seed) % 5, $call % 8 === 0];
                $headers = "X-Api-Key: {$key}\r\nAccept: application/json\r\nConnection: close\r\n";
                $answer = Fetched::from($server->url().'/api/'.($isBad ? 'missing' : 'ping'), ['header' => $headers]);
                self::assertSame($isBad ? 404 : 200, $answer->status);
                $made[$key] = [($made[$key][0] ?? 0) + 1, ($made[$key][1] ?? 0) + ($isBad ? 1 : 0)];
            }
        } finally {
            $server->stop();
        }

        return $made;
    }

    /** @param list<array<string, string>> $nodes */
    private function flushAtOnce(array $nodes): void
    {
        $flushes = array_map(
            static fn (array $node): Process => new Process(
                [PHP_BINARY, self::ROOT.'/artisan', 'spool:flush', 'api-usage'],
                env: $node,
                timeout: 60,
            ),
            $nodes,
        );
        array_map(static fn (Process $flush) => $flush->start(), $flushes);

        foreach ($flushes as $flush) {
            self::assertSame(0, $flush->wait(), $flush->getOutput().$flush->getErrorOutput());
        }
    }

    /** @return array<string, array{int, int}> of all hours in which the test ran */
    private function usage(): array
    {
        $usage = [];

        foreach ($this->workbench?->app->make(
            DatabaseManager::class,
        )->connection()->table('api_usage')->orderBy('api_key')->get() ?? [] as $row) {
            self::assertTrue(is_string($row->api_key) && is_numeric($row->calls) && is_numeric($row->errors));
            $usage[$row->api_key] = [
                ($usage[$row->api_key][0] ?? 0) + (int) $row->calls,
                ($usage[$row->api_key][1] ?? 0) + (int) $row->errors,
            ];
        }

        return $usage;
    }
}
