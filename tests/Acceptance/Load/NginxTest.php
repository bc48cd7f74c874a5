<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Failure;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Template;
use Headroom\Load\TemplateRequests;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Counts against a server that keeps its own: nginx's access log.
 */
#[RequiresPhpExtension('openssl')]
#[RequiresPhpExtension('posix')]
final class NginxTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ChildProcess $nginx;

    private string $url;

    private int $tlsPort;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('load-nginx');
        $port = Ports::free();
        $this->url = "http://127.0.0.1:{$port}";
        $this->tlsPort = Ports::free();
        $this->certify();
        $directory = $this->directory->path;
        $file = $this->directory->write('nginx.conf', <<<CONF
            daemon off;
            worker_processes 1;
            pid "{$directory}/pid";
            error_log "{$directory}/error.log" warn;
            events { worker_connections 2048; }
            http {
                access_log "{$directory}/access.log";
                client_body_temp_path "{$directory}/body";
                proxy_temp_path "{$directory}/proxy";
                fastcgi_temp_path "{$directory}/fastcgi";
                uwsgi_temp_path "{$directory}/uwsgi";
                scgi_temp_path "{$directory}/scgi";
                # So low that connections are closed and opened again in the middle of the run.
                keepalive_requests 100;
                server {
                    listen 127.0.0.1:{$port} backlog=1024;
                    location / { return 204; }
                    location /teapot { return 418 "short and stout"; }
                }
                server {
                    listen 127.0.0.1:{$this->tlsPort} ssl;
                    ssl_certificate "{$directory}/certificate";
                    ssl_certificate_key "{$directory}/key";
                    location / { return 204; }
                }
            }
            CONF);
        $this->nginx = ChildProcess::start(new ProcessOptions(
            'nginx',
            [Programs::nginx(), '-p', $directory, '-c', $file, '-e', "{$directory}/error.log"],
            "{$directory}/out.log",
            [],
            [Signal::Terminate],
        ));
        $this->nginx->awaitReady(fn (): bool => is_file("{$directory}/pid") && Ports::accepts($port));
    }

    protected function tearDown(): void
    {
        if (isset($this->nginx)) {
            $this->nginx->stop();
            $this->directory->remove();
        }
    }

    #[Test]
    public function five_thousand_requests_are_five_thousand_lines_in_its_log(): void
    {
        $result = (new LoadGenerator)->run(
            Plan::requests(5_000, concurrency: 100),
            new SameRequest(new Request("{$this->url}/x")),
        );

        self::assertSame(
            [5_000, 5_000, [204 => 5_000], 0],
            [$result->sent(), $result->succeeded(), $result->statuses, $result->resent],
        );
        self::assertGreaterThanOrEqual(100, $result->connections);
        self::assertStringStartsWith('nginx/', (string) $result->server);
        self::assertSame(5_000, $this->logged());
    }

    #[Test]
    public function posts_with_a_template_arrive_as_often_and_their_answers_are_counted(): void
    {
        $request = new Request("{$this->url}/teapot", 'POST', 'x');
        $result = (new LoadGenerator)->run(
            Plan::requests(1_000, concurrency: 30),
            new TemplateRequests($request, Template::parse('{"id":"{{uuid}}","n":{{n}}}')),
        );

        self::assertSame(
            [1_000, 0, [418 => 1_000], 1_000 * 15],
            [$result->sent(), $result->succeeded(), $result->statuses, $result->bytes],
        );
        self::assertSame(1_000, $this->logged());
    }

    #[Test]
    public function a_certificate_of_an_unknown_authority_is_refused_unless_told_otherwise(): void
    {
        $source = new SameRequest(new Request("https://127.0.0.1:{$this->tlsPort}/"));
        $strict = (new LoadGenerator)->run(Plan::requests(4, concurrency: 2), $source);
        $insecure = (new LoadGenerator)->run(Plan::requests(4, concurrency: 2, insecure: true), $source);

        self::assertSame(
            [4, 4, Failure::Tls],
            [$strict->sent(), $strict->count(Outcome::ConnectError), $strict->failures[0]->failure],
        );
        self::assertSame([4, 4, 2], [$insecure->sent(), $insecure->succeeded(), $insecure->connections]);
    }

    #[Test, Group('day-1')]
    public function more_users_than_one_process_can_have_are_dealt_out(): void
    {
        $limits = posix_getrlimit();
        $limit = $limits === false ? 'unknown' : $limits['soft openfiles'];

        if (is_numeric($limit) && (int) $limit < 2_100) {
            self::markTestSkipped('nginx may not have so many connections: ulimit -n 2100');
        }

        $result = Headroom::result(
            $process = Headroom::load("{$this->url}/x", '--concurrency=1500', '--requests=6001', '--json'),
        );

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame(
            [2, 6_001, 6_001],
            [$result->at('plan.processes'), $result->at('sent'), $result->at('succeeded')],
        );
        self::assertGreaterThanOrEqual(1_500, $result->number('connections_opened'));
        self::assertSame(6_001, $this->logged());
    }

    private function certify(): void
    {
        $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
        self::assertNotFalse($key);
        // openssl_csr_new() takes its key by reference.
        $signer = $key;
        $request = openssl_csr_new(['commonName' => '127.0.0.1'], $signer);
        self::assertNotTrue($request);
        self::assertNotFalse($request);
        $certificate = openssl_csr_sign($request, null, $key, 1);
        self::assertNotFalse($certificate);
        self::assertTrue(openssl_x509_export_to_file($certificate, $this->directory->file('certificate')));
        self::assertTrue(openssl_pkey_export_to_file($key, $this->directory->file('key')));
    }

    /** Without the connection that looked whether nginx was ready, which sent nothing and is not logged. */
    private function logged(): int
    {
        // nginx writes a line when the answer has been sent, and the last one may come after its arrival here.
        $this->nginx->stop();

        return substr_count((string) file_get_contents($this->directory->file('access.log')), "\n");
    }
}
