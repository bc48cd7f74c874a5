<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use Headroom\Tests\Support\MissingServer;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * A real nginx with the configuration that `collect:config nginx` prints, in front of the collector.
 */
final class NginxTest extends TestCase
{
    private Station $station;

    private TemporaryDirectory $directory;

    private Process $nginx;

    private int $port;

    protected function setUp(): void
    {
        $program = Programs::optional('nginx') ?? (is_executable('/usr/sbin/nginx') ? '/usr/sbin/nginx' : null);

        if ($program === null) {
            MissingServer::named('nginx', 'nginx is not installed: bin/services install nginx');
        }

        $this->station = Station::open();
        $this->directory = TemporaryDirectory::create('nginx');
        $this->port = Ports::free();
        $printed = $this->station->collector->command('collect:config', 'nginx')[1];
        self::assertStringContainsString('server 127.0.0.1:0 ', $printed);
        // The ports of this test are nobody's settings.
        $server = str_replace(
            ['listen 80;', 'server 127.0.0.1:0 '],
            ["listen 127.0.0.1:{$this->port};", "server {$this->station->collector->address()} "],
            $printed,
        );
        $paths = implode(
            "\n",
            array_map(
                fn (string $kind): string => "{$kind}_temp_path {$this->directory->path}/{$kind};",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
        );
        $file = $this->directory->write(
            'nginx.conf',
            "daemon off;\nmaster_process off;\npid {$this->directory->path}/pid;\nerror_log"
                ." {$this->directory->path}/error.log;\nevents {}\nhttp {\naccess_log off;\n{$paths}\n{$server}}\n",
        );
        $this->nginx = new Process([$program, '-e', $this->directory->file('error.log'), '-c', $file], timeout: null);
        $this->nginx->start();
        $this->station->collector->waitFor(fn (): bool => Ports::accepts($this->port) || ! $this->nginx->isRunning());
        self::assertTrue($this->nginx->isRunning(), $this->nginx->getErrorOutput());
    }

    protected function tearDown(): void
    {
        if (isset($this->nginx)) {
            $this->nginx->stop(2, SIGKILL);
            $this->directory->remove();
        }
    }

    #[Test]
    public function the_examples_of_the_page_get_through_it(): void
    {
        $env = ['EVENTS_URL' => "http://127.0.0.1:{$this->port}"] + $this->station->env();
        $commands = (new Guide)->commands('curl');

        foreach ($commands as [$command]) {
            self::assertJson(Shell::bash($command, $env), $command);
        }

        self::assertCount(7, $this->station->rows());
        self::assertSame("202\n", Shell::php((new Guide)->examples('PHP', 'php')[0], $env));
    }

    #[Test]
    public function a_body_up_to_the_limit_gets_through_and_the_connection_is_kept(): void
    {
        $env = ['EVENTS_URL' => "http://127.0.0.1:{$this->port}"] + $this->station->env();
        $script = <<<'PHP'
            <?php
            require 'vendor/autoload.php';
            $client = new GuzzleHttp\Client(['base_uri' => getenv('EVENTS_URL'), 'headers' => ['X-Write-Key' => getenv('EVENTS_KEY'), 'Content-Type' => 'application/x-ndjson'], 'http_errors' => false]);
            $line = json_encode(['type' => 't', 'data' => str_repeat('x', 5_200)])."\n";
            echo $client->post('/v1/events', ['body' => str_repeat($line, intdiv(5_242_880, strlen($line)))])->getStatusCode(), "\n";
            for ($n = 0; $n < 50; $n++) { $client->post('/v1/events', ['body' => '{"type":"t"}']); }
            PHP;

        self::assertSame("202\n", Shell::php($script, $env));
        $metrics = '';
        $this->station->collector->waitFor(function () use (&$metrics): bool {
            $metrics = (string) file_get_contents("http://{$this->station->collector->admin()}/metrics");

            return preg_match('/^headroom_http_requests_total\{code="202"\} 51$/m', $metrics) === 1;
        });
        // 51 requests over one connection of nginx; the others are those of this test for the metrics.
        self::assertSame(1, preg_match('/^headroom_connections_total (\d+)$/m', $metrics, $connections));
        self::assertLessThan(51, (int) $connections[1]);
    }

    #[Test]
    public function a_larger_one_is_refused_by_the_collector_and_by_no_page_of_nginx(): void
    {
        $answer = Shell::bash(
            "head -c 5300000 /dev/zero | curl -s -w '%{http_code}' \"\$EVENTS_URL/v1/events\" -H \"X-Write-Key:"
                ." \$EVENTS_KEY\" -H 'Content-Type: application/json' --data-binary @-",
            ['EVENTS_URL' => "http://127.0.0.1:{$this->port}"] + $this->station->env(),
        );

        self::assertStringContainsString('"code":"body_too_large"', $answer);
        self::assertStringEndsWith('413', $answer);
    }
}
