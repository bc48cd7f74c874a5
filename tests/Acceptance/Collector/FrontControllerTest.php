<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Collector\Sapi\UnableToPublish;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\PublishedSite;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Collector\Support\Wire;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * `headroom collect:publish`, and what one of its requests loads.
 */
#[Group('snapshot')]
final class FrontControllerTest extends TestCase
{
    private ?PublishedSite $site = null;

    protected function tearDown(): void
    {
        $this->site?->remove();
    }

    #[Test]
    public function a_request_with_an_event_loads_two_files(): void
    {
        $site = $this->site = PublishedSite::publish(['intake' => ['auth' => true]]);
        $key = json_decode($site->command('collect:key', 'create', 'shop', '--json'), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($key);
        self::assertIsString($key['key']);
        file_put_contents(
            "{$site->directory}/prepend.php",
            '<?php register_shutdown_function(static fn () => file_put_contents('
                .var_export("{$site->directory}/loaded", true).', json_encode(get_included_files())));',
        );
        $site->serve(1, ini: ['auto_prepend_file' => "{$site->directory}/prepend.php"]);

        // The first request of a new installation makes directories.
        foreach ([1, 2] as $round) {
            self::assertSame(
                202,
                $site->post(
                    '{"type":"order.placed","id":"'.$round.'","time":"2026-01-01T10:05:03Z","data":{"total":1}}',
                    "Authorization: Bearer {$key['key']}",
                )[0],
                $site->log(),
            );
        }

        $loaded = json_decode(
            (string) file_get_contents("{$site->directory}/loaded"),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertSame(
            [
                "{$site->directory}/prepend.php",
                "{$site->directory}/public/ingest.php",
                "{$site->directory}/headroom-ingest.php",
            ],
            $loaded,
        );
    }

    #[Test]
    public function a_request_that_is_refused_loads_no_autoloader_of_composer(): void
    {
        $site = $this->site = PublishedSite::publish(['intake' => ['auth' => true]]);
        file_put_contents(
            "{$site->directory}/prepend.php",
            '<?php register_shutdown_function(static fn () => file_put_contents('
                .var_export("{$site->directory}/loaded", true).', json_encode(get_included_files())));',
        );
        $site->serve(1, ini: ['auto_prepend_file' => "{$site->directory}/prepend.php"]);
        self::assertSame(401, $site->post('{"type":"t"}')[0]);
        $loaded = (string) file_get_contents("{$site->directory}/loaded");

        self::assertStringContainsString('RequestError.php', $loaded);
        self::assertStringNotContainsString('autoload', $loaded);
    }

    #[Test]
    public function it_is_published_once_and_written_again_when_the_configuration_changes(): void
    {
        $site = $this->site = PublishedSite::publish();
        $compiled = "{$site->directory}/headroom-ingest.php";
        self::assertSame(
            [0666 & ~umask(), 0666 & ~umask()],
            [fileperms($compiled) & 0777, fileperms("{$site->directory}/public/ingest.php") & 0777],
        );
        self::assertSame([0, ''], Running::run($site->directory, 'collect:publish', '--check'));
        [$before, $inode] = [file_get_contents($compiled), fileinode($compiled)];
        $this->assertPrinted('nothing has changed', 0, $site, 'collect:publish');
        self::assertSame($inode, fileinode($compiled));

        chmod($compiled, 0640);
        Running::configure($site->directory, ['intake' => ['auth' => false, 'max_batch_events' => 7]]);
        $this->assertPrinted('checked after the configuration has changed', 1, $site, 'collect:publish', '--check');
        $this->assertPrinted('the configuration has changed', 0, $site, 'collect:publish');
        clearstatcache();
        self::assertNotSame($before, file_get_contents($compiled));
        self::assertSame(0640, fileperms($compiled) & 0777);
        self::assertSame([], glob("{$site->directory}/*.new"));
    }

    #[Test]
    public function a_foreign_script_stays(): void
    {
        $site = $this->site = PublishedSite::publish();
        file_put_contents("{$site->directory}/public/index.php", '<?php echo "mine";');
        [$exit, $output] = Running::run($site->directory, 'collect:publish', 'public/index.php');
        self::assertSame(1, $exit);
        Sentence::assertIn(UnableToPublish::notOurs('*/public/index.php'), $output);
        self::assertSame('<?php echo "mine";', file_get_contents("{$site->directory}/public/index.php"));

        [$exit, $output] = Running::run($site->directory, 'collect:publish', 'public/ingest');
        self::assertSame(1, $exit);
        Sentence::assertIn(UnableToPublish::noScript('*/public/ingest'), $output);

        self::assertSame(0, Running::run($site->directory, 'collect:publish', 'public/in/events.php')[0]);
        self::assertStringContainsString(
            'headroom collect:publish public/in/events.php',
            (string) file_get_contents("{$site->directory}/public/in/events.php"),
        );
    }

    private function assertPrinted(string $case, int $exit, PublishedSite $site, string ...$words): void
    {
        [$code, $output] = Running::run($site->directory, ...$words);

        self::assertSame($exit, $code, $output);
        Snapshot::assertPrinted('collect:publish', $case, $output);
    }

    #[Test]
    public function its_counts_are_in_the_metrics_of_a_collector_on_the_same_buffer(): void
    {
        $site = $this->site = PublishedSite::publish([
            'intake' => ['auth' => false],
            'limits' => ['body_bytes' => 1_000],
        ])
            ->serve(2);
        $collector = Running::start(
            spool: ['path' => "{$site->directory}/spool", 'min_free_bytes' => 0, 'buckets' => ['events' => []]],
            isReady: false,
        );
        $status = "{$site->directory}/spool/collector/status.json";
        $collector->waitFor(static fn (): bool => str_contains((string) @file_get_contents($status), '"running"'));
        $read = json_decode((string) file_get_contents($status), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($read);
        self::assertIsArray($read['listen']);
        [$own, $admin] = $read['listen'];
        self::assertIsString($own);
        self::assertIsString($admin);

        foreach (range(1, 5) as $n) {
            self::assertSame(202, $site->post('[{"type":"t"},{"type":"t"},{}]')[0]);
        }

        self::assertSame(400, $site->post('{')[0]);
        self::assertSame(413, $site->post(str_repeat(' ', 2_000))[0]);
        self::assertSame(
            202,
            Wire::ask($own, 'POST', '/v1/events', ['Content-Type: application/json'], '{"type":"t"}')[0],
        );
        $collector->waitFor(static fn (): bool => str_contains(
            Client::fetch($admin, '/metrics')[1],
            'headroom_events_accepted_total 11',
        ));
        $metrics = Client::fetch($admin, '/metrics')[1];

        self::assertStringContainsString('headroom_http_requests_total{code="202"} 6', $metrics);
        self::assertStringContainsString('headroom_http_requests_total{code="400"} 1', $metrics);
        self::assertStringContainsString('headroom_http_requests_total{code="413"} 1', $metrics);
        self::assertStringContainsString('headroom_events_rejected_total{reason="missing_type"} 5', $metrics);
        posix_kill($collector->pid, SIGTERM);
        $collector->exitCode();
    }

    #[Test]
    public function a_store_that_the_front_controller_cannot_write_to_is_refused_at_compilation(): void
    {
        $site = $this->site = PublishedSite::publish();
        Running::configure($site->directory, [], ['buckets' => ['events' => ['sink' => 'memory', 'store' => 'redis']]]);
        [$exit, $output] = Running::run($site->directory, 'collect:publish');
        self::assertSame(1, $exit);
        Sentence::assertIn(InvalidConfig::notAllowed('spool.buckets.events.store', 'redis', Sentence::ANY), $output);
    }

    #[Test]
    #[TestWith(['collect:publish', 'redact', ['password']])]
    #[TestWith(['collect:publish', 'sample', 0.5])]
    #[TestWith(['collect', 'redact', ['password']])]
    #[TestWith(['collect', 'sample', 0.5])]
    public function an_option_that_would_alter_events_is_refused_and_not_ignored(
        string $command,
        string $key,
        mixed $value,
    ): void {
        $site = $this->site = PublishedSite::publish();

        foreach (['events', 'dead'] as $bucket) {
            Running::configure(
                $site->directory,
                ['intake' => ['bucket' => 'events', 'dead_bucket' => 'dead']],
                ['buckets' => [$bucket => ['sink' => 'memory', $key => $value]]],
            );
            [$exit, $output] = Running::run($site->directory, $command);
            self::assertSame(1, $exit);
            Sentence::assertIn(
                InvalidConfig::notAllowed("spool.buckets.{$bucket}.{$key}", $value, Sentence::ANY),
                $output,
            );
        }
    }

    #[Test]
    public function options_that_alter_nothing_are_no_obstacle(): void
    {
        $site = $this->site = PublishedSite::publish();
        Running::configure(
            $site->directory,
            [],
            ['buckets' => ['events' => ['sink' => 'memory', 'redact' => [], 'sample' => 1]]],
        );

        self::assertSame(0, Running::run($site->directory, 'collect:publish')[0]);
    }

    #[Test]
    public function no_secret_of_a_sink_is_compiled(): void
    {
        $site = $this->site = PublishedSite::publish(
            [],
            ['buckets' => ['events' => [
                'sink' => 'http',
                'url' => 'https://example.com',
                'secret' => 'whsec_c2VjcmV0',
                'max_bytes' => 1_000_000,
            ]]],
        );
        $compiled = (string) file_get_contents("{$site->directory}/headroom-ingest.php");

        self::assertStringNotContainsString('c2VjcmV0', $compiled);
        self::assertStringContainsString("'max_bytes' => 1000000", $compiled);
    }

    #[Test]
    public function refused_events_are_kept_where_a_bucket_is_named_for_them(): void
    {
        $site = $this->site = PublishedSite::publish(
            ['intake' => ['auth' => false, 'dead_bucket' => 'refused']],
            ['buckets' => ['events' => [], 'refused' => []]],
        )->serve();
        self::assertSame(202, $site->post('[{"type":"t"},{"id":"without"}]')[0]);
        // They are written when the answer is out.
        $isKept = static fn (): bool
            => preg_match('/"bucket": "refused".*?"accepted": 1/s', $site->command('spool:status', '--json')) === 1;
        Patience::until($isKept, 'the refused event is kept');
        $site->stack()->stop();

        self::assertTrue($isKept());
    }
}
