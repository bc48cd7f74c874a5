<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Laravel\Http\EventIntake;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Support\Requests;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Collector\Support\Wire;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Support\MissingServer;
use Illuminate\Contracts\Config\Repository;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpFoundation\Request;

/**
 * The collector, the front controller behind nginx and FPM, and a route of a Laravel application get the same requests.
 */
final class SameAnswersTest extends TestCase
{
    private ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
    }

    #[Test, Group('day-2')]
    public function all_three_answer_every_request_alike(): void
    {
        if (! WebStack::isInstalled()) {
            MissingServer::named('nginx', 'nginx and PHP-FPM are not installed: bin/services install nginx fpm');
        }

        $site = TemporaryDirectory::create('same');
        mkdir($site->file('public'));
        Running::configure($site->path, Requests::CONFIG);
        [$exit, $output] = Running::run($site->path, 'collect:publish');
        self::assertSame(0, $exit, $output);
        $requests = Requests::withKeysBelow($site->path);
        $loop = Running::start(Requests::CONFIG);
        copy($site->file('spool/collector/keys.json'), "{$loop->directory}/spool/collector/keys.json");
        $stack = WebStack::start(new WebConfig($site->file('public/ingest.php'), workers: 2, user: 'root'));
        $this->workbench = WorkbenchApplication::boot();
        $config = $this->workbench->app->make(Repository::class);
        $config->set('spool.path', $site->file('laravel'));
        $config->set('headroom.collector', Requests::CONFIG);
        mkdir($site->file('laravel/collector'), 0700, true);
        copy($site->file('spool/collector/keys.json'), $site->file('laravel/collector/keys.json'));
        EventIntake::at('/ingest');

        try {
            $seen = [];

            foreach ($requests->all() as $name => [$method, $target, $headers, $body]) {
                $expected = Wire::ask($loop->address(), $method, $target, $headers, $body);
                self::assertGreaterThan(0, $expected[0], "{$name}: {$loop->log()}");
                self::assertSame(
                    $expected,
                    Wire::ask(substr($stack->url(), 7), $method, $target, $headers, $body),
                    "The front controller: {$name}\n".(string) @file_get_contents($stack->file('fpm.log')),
                );
                self::assertSame($expected, $this->ofLaravel($method, $target, $headers, $body), "Laravel: {$name}");
                $seen[$expected[0]] = true;
            }

            ksort($seen);
            self::assertSame([200, 202, 204, 207, 400, 401, 403, 404, 405, 413, 415, 422], array_keys($seen));
            $stack->stop();
            // A worker keeps its file for a second after the last event.
            $loop->collected();
            $expected = $requests->stored($loop->directory);
            self::assertCount(36, $expected);
            self::assertSame($expected, $requests->stored($site->path), 'events in the buffer of the front controller');
            mkdir($site->file('flushed'));
            Running::configure($site->file('flushed'), Requests::CONFIG, ['path' => $site->file('laravel')]);
            self::assertSame($expected, $requests->stored($site->file('flushed')), 'events in the buffer of Laravel');
        } finally {
            $stack->stop();
            $site->remove();
        }
    }

    /**
     * @param list<string> $lines
     * @return array{int, array<string, string>, string}
     */
    private function ofLaravel(string $method, string $target, array $lines, string $body): array
    {
        self::assertNotNull($this->workbench);
        $server = ['HTTP_HOST' => 'collector.test', 'REMOTE_ADDR' => '127.0.0.1'];

        foreach ($lines as $line) {
            [$name, $value] = explode(': ', $line, 2);
            $variable = strtr(strtoupper($name), '-', '_');
            $server[$variable === 'CONTENT_TYPE' ? $variable : "HTTP_{$variable}"] = $value;
        }

        if ($body !== '') {
            $server['CONTENT_LENGTH'] = (string) strlen($body);
        }

        $request = Request::create(
            "http://collector.test/ingest{$target}",
            $method,
            content: str_contains($server['CONTENT_TYPE'] ?? '', 'multipart') ? '' : $body,
        );
        $request->server->replace([
            'REQUEST_METHOD' => $method,
            'REQUEST_URI' => "/ingest{$target}",
            'SCRIPT_NAME' => '/index.php',
            ...$server,
        ]);
        $request->headers->replace($request->server->getHeaders());
        $response = $this->workbench->send($request);
        $headers = array_map(
            static fn (array $values): string => implode(', ', array_map(strval(...), $values)),
            $response->headers->all(),
        );

        if (isset($headers['cache-control'])) {
            $headers['cache-control'] = str_replace(', private', '', $headers['cache-control']);
        }

        return Wire::normal($response->getStatusCode(), $headers, (string) $response->getContent());
    }
}
