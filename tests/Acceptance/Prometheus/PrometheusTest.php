<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Prometheus;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\ExpositionReader;
use Headroom\Tests\Support\Fetched;
use Headroom\Tests\Support\Promtool;
use Headroom\Tests\Support\SqlServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A real Prometheus scrapes the address of a real application, behind nginx and PHP-FPM, whose database is killed.
 */
final class PrometheusTest extends TestCase
{
    private const PATIENCE_SECONDS = 60;

    private ?ScrapedApplication $application = null;

    private ?SqlServer $database = null;

    private ?PrometheusServer $prometheus = null;

    protected function setUp(): void
    {
        Needs::webStack();
        Promtool::program('prometheus');
    }

    protected function tearDown(): void
    {
        $this->prometheus?->stop();
        $this->application?->remove();
        $this->database?->stop();
    }

    #[Test]
    public function prometheus_answers_each_panel_and_raises_each_alert(): void
    {
        $this->database = SqlServer::mariaDb();
        $this->application = ScrapedApplication::on($this->database->port);
        $this->application->migrate();
        $this->application->buffer();
        $flushed = $this->application->artisan('spool:flush');
        self::assertSame(0, $flushed->exit, $flushed->all());
        $this->prometheus = PrometheusServer::scraping(
            substr($this->application->stack->url(), strlen('http://')),
            ScrapedApplication::TOKEN,
            MonitoringFiles::impatientRules(),
        );
        $this->await(fn (): bool => $this->prometheus()->target() === ['up', ''], 'The address is not scraped.');
        $this->assertPanels();
        $this->awaitAlerts(['HeadroomDeadLetters api-events' => 'firing']);
        $this->killDatabase();
        $this->reviveDatabase();
        $this->application()->keepAPebibyteFree();
        $this->awaitAlerts(['HeadroomDiskShort' => 'firing']);
        $this->assertRules();
    }

    /** Each panel has data in the end; a rate takes two scrapes. */
    private function assertPanels(): void
    {
        $expressions = MonitoringFiles::expressions();
        self::assertGreaterThan(20, count($expressions));
        $empty = $expressions;
        $this->await(function () use (&$empty): bool {
            $this->application()->add('api-events', ['event' => 'good']);
            $empty = array_filter(
                $empty,
                fn (string $expression): bool => $this->prometheus()->query($expression) === [],
            );

            return $empty === [];
        }, fn (): string => 'Panels without data: '.implode(', ', array_keys($empty)));
        $accepted = $this->prometheus()->query('headroom_spool_events_accepted_total{bucket="api-events"}');
        self::assertSame('shop', $accepted[0]['metric']['job']);
        self::assertGreaterThanOrEqual(2, (int) $accepted[0]['value']);
    }

    private function killDatabase(): void
    {
        $this->application()->artisan('spool:flush');
        $this->database()->kill();
        self::assertSame(1, $this->application()->artisan('spool:flush', 'api-events', '--now')->exit);
        $alerts = ['HeadroomNothingDelivers api-events' => 'firing', 'HeadroomBacklogGrows api-events' => 'firing'];
        $this->awaitAlerts($alerts, fn () => $this->application()->add('api-events', ['event' => 'late']));

        foreach (array_keys($alerts) as $alert) {
            $name = explode(' ', $alert)[0];
            self::assertNotSame([], $this->prometheus()->query(
                "count_over_time(ALERTS{alertname='{$name}', bucket='api-events', alertstate='pending'}[5m])",
            ));
        }

        $this->await(
            fn (): bool => $this->prometheus()->target() === ['up', ''],
            'The address fails with its database.',
        );
    }

    private function reviveDatabase(): void
    {
        $this->database()->restart();
        $flushed = $this->application()->artisan('spool:flush', '--now');
        self::assertSame(0, $flushed->exit, $flushed->all());
        $this->await(
            fn (): bool => array_keys($this->prometheus()->alerts()) === ['HeadroomDeadLetters api-events'],
            fn (): string => 'Alerts stay: '.implode(', ', array_keys($this->prometheus()->alerts())),
        );
    }

    private function assertRules(): void
    {
        $rules = $this->prometheus()->rules();
        self::assertSame(
            ['HeadroomNothingDelivers', 'HeadroomBacklogGrows', 'HeadroomDeadLetters', 'HeadroomDiskShort'],
            array_keys($rules),
        );

        foreach ($rules as $name => [$expression, $health, $error]) {
            self::assertSame(['ok', ''], [$health, $error], $name);
            $this->prometheus()->query($expression);
        }
    }

    #[Test]
    public function the_address_answers_while_the_database_hangs(): void
    {
        // The kernel accepts connections to this port, and nothing ever answers.
        $deaf = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($deaf);
        $port = (int) substr((string) strrchr((string) stream_socket_get_name($deaf, false), ':'), 1);
        $this->application = ScrapedApplication::on($port);
        $this->application->add('api-events', ['event' => 'waits']);
        $answer = $this->scrape('Bearer '.ScrapedApplication::TOKEN);

        self::assertSame(200, $answer->status);
        self::assertSame([0, ''], Promtool::checkMetrics($answer->body));
        self::assertSame('1', ExpositionReader::value(
            $answer->body,
            'headroom_spool_events',
            ['bucket' => 'api-events'],
        ));
        $printed = $this->application->artisan('spool:status', '--prometheus');
        self::assertSame([0, 0, ''], [$printed->exit, ...Promtool::checkMetrics($printed->out)]);
        fclose($deaf);
    }

    private function scrape(string $authorization): Fetched
    {
        return Fetched::from(
            "{$this->application()->stack->url()}/headroom/metrics",
            ['header' => "Authorization: {$authorization}\r\nConnection: close\r\n", 'timeout' => 60],
        );
    }

    /**
     * @param array<string, string> $states
     * @param ?Closure(): mixed $meanwhile
     */
    private function awaitAlerts(array $states, ?Closure $meanwhile = null): void
    {
        $this->await(
            function () use ($states, $meanwhile): bool {
                $meanwhile === null ? null : $meanwhile();

                return array_diff_assoc($states, $this->prometheus()->alerts()) === [];
            },
            fn (): string => json_encode($this->prometheus()->alerts(), JSON_THROW_ON_ERROR),
        );
    }

    /**
     * @param Closure(): bool $isMet
     * @param string|Closure(): string $otherwise
     */
    private function await(Closure $isMet, string|Closure $otherwise): void
    {
        $clock = new SystemClock;
        $deadline = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        while (! $isMet()) {
            $clock->monotonicNanos() < $deadline
                ? $clock->sleep(100_000)
                : self::fail(is_string($otherwise) ? $otherwise : $otherwise());
        }
    }

    private function application(): ScrapedApplication
    {
        return $this->application ?? self::fail('There is no application.');
    }

    private function database(): SqlServer
    {
        return $this->database ?? self::fail('There is no database.');
    }

    private function prometheus(): PrometheusServer
    {
        return $this->prometheus ?? self::fail('There is no Prometheus.');
    }
}
