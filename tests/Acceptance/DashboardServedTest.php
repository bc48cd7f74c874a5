<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Core\SystemClock;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * The dashboard behind nginx and PHP-FPM, without a route cache, as a browser asks for it.
 */
final class DashboardServedTest extends TestCase
{
    private const PATIENCE_SECONDS = 120;

    private ScratchApplication $app;

    private ?WebStack $stack = null;

    /** @var array<string, string> */
    private array $cookies = [];

    /** @var array<string, string> */
    private array $headers = [];

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
    }

    protected function tearDown(): void
    {
        $this->stack?->stop();
        $this->app->remove();
    }

    #[Test]
    public function the_page_its_data_its_actions_and_the_doctor_work_in_php_fpm(): void
    {
        $this->serve();
        [$status, $document] = $this->ask('GET', '/headroom');
        self::assertSame(200, $status, $this->app->log());
        $this->headers = [
            'X-Headroom-Token' => self::attribute($document, 'token'),
            'X-CSRF-TOKEN' => self::attribute($document, 'csrf'),
        ];
        self::assertSame('1', self::attribute($document, 'manage'));
        self::assertSame(200, $this->ask('GET', '/headroom/assets/dashboard.js')[0]);
        self::assertSame(200, $this->ask('POST', '/events/3')[0]);
        $totals = (array) $this->json('/headroom/data/now')['totals'];
        self::assertSame(3, $totals['pending'] ?? null);
        self::assertCount(3, (array) $this->json('/headroom/data/buckets/api-events/events')['events']);

        [$status, $body] = $this->ask('POST', '/headroom/actions/pause', '{"bucket":"api-events"}');
        self::assertSame(200, $status, $body);
        self::assertStringContainsString('"done":1', $body);
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertCount(0, $this->app->rows('select id from api_events'));
        self::assertSame(200, $this->ask('POST', '/headroom/actions/resume', '{"bucket":"api-events"}')[0]);
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertCount(3, $this->app->rows('select id from api_events'));

        // The answer does not wait for the doctor, and the doctor outlives the request.
        [$status, $body] = $this->ask('POST', '/headroom/actions/doctor', '{}');
        self::assertSame(200, $status, $body);
        $doctor = $this->await();
        self::assertSame(['done', null], [$doctor['state'], $doctor['detail']], $this->app->log());
        self::assertIsArray($doctor['report']);
        self::assertNotSame([], $doctor['report']['findings'] ?? []);
    }

    #[Test]
    public function where_no_process_can_be_started_the_doctor_names_its_command(): void
    {
        $this->serve(['disable_functions' => 'proc_open,exec']);
        [, $document] = $this->ask('GET', '/headroom');
        $this->headers = ['X-CSRF-TOKEN' => self::attribute($document, 'csrf')];
        [$status, $body] = $this->ask('POST', '/headroom/actions/doctor', '{}');

        self::assertSame(409, $status, $body);
        self::assertStringContainsString('`php artisan headroom:doctor`', $body);
    }

    /** @param array<string, string> $ini */
    private function serve(array $ini = []): void
    {
        Needs::webStack();
        $this->app->shareWithEverybody();
        $this->app->config(
            'spool',
            "['path' => base_path('shared/buffer'), 'dir_mode' => 0777, 'file_mode' => 0666, 'heartbeats' => false,"
                ." 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
        @mkdir($this->app->path('storage/framework/sessions'), 0o777, true);

        foreach (['storage/framework', 'storage/framework/sessions'] as $name) {
            chmod($this->app->path($name), 0o777);
        }

        $this->stack = WebStack::start(new WebConfig(
            $this->app->path('public/index.php'),
            workers: 2,
            env: [
                ...$this->app->env(), 'APP_ENV' => 'local', 'SESSION_DRIVER' => 'file',
                'APP_KEY' => 'base64:a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=',
            ],
            ini: $ini,
        ));
    }

    /** @return array<array-key, mixed> the doctor of data/machine, once it does not run */
    private function await(): array
    {
        $clock = new SystemClock;
        $deadline = $clock->monotonicNanos() + self::PATIENCE_SECONDS * 1_000_000_000;

        do {
            $clock->sleep(200_000);
            $doctor = (array) $this->json('/headroom/data/machine')['doctor'];
        } while (in_array($doctor['state'], ['never', 'running'], true) && $clock->monotonicNanos() < $deadline);

        return $doctor;
    }

    /** @return array<array-key, mixed> */
    private function json(string $path): array
    {
        [$status, $body] = $this->ask('GET', $path);
        self::assertSame(200, $status, "{$body} {$this->app->log()}");

        return (array) json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    }

    /** @return array{int, string} status and body */
    private function ask(string $method, string $path, string $body = ''): array
    {
        $headers = ['Accept: application/json', 'Content-Type: application/json', 'Connection: close'];

        foreach ($this->headers as $name => $value) {
            $headers[] = "{$name}: {$value}";
        }

        $pairs = array_map(
            static fn (string $n, string $v): string => "{$n}={$v}",
            array_keys($this->cookies),
            $this->cookies,
        );
        $headers[] = 'Cookie: '.implode('; ', $pairs);
        $stream = fopen("{$this->stack?->url()}{$path}", 'r', context: stream_context_create(['http' => [
            'method' => $method, 'header' => $headers, 'content' => $body, 'ignore_errors' => true, 'timeout' => 30,
        ]]));

        if ($stream === false) {
            throw new RuntimeException("{$path} gave no answer.");
        }

        $lines = array_filter((array) (stream_get_meta_data($stream)['wrapper_data'] ?? []), is_string(...));
        $status = 0;

        foreach ($lines as $line) {
            $status = preg_match('~\AHTTP/\S+ (\d{3})~', $line, $m) === 1 ? (int) $m[1] : $status;

            if (preg_match('~\ASet-Cookie: ([^=]+)=([^;]*)~i', $line, $m) === 1) {
                $this->cookies[$m[1]] = $m[2];
            }
        }

        return [$status, (string) stream_get_contents($stream)];
    }

    private static function attribute(string $document, string $name): string
    {
        return preg_match("/data-{$name}=\"([^\"]*)\"/", $document, $m) === 1 ? html_entity_decode($m[1]) : '';
    }
}
