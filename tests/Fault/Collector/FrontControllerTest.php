<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Collector;

use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Tests\Acceptance\Collector\Support\Client;
use Headroom\Tests\Acceptance\Collector\Support\PublishedSite;
use Headroom\Tests\Acceptance\Collector\Support\Traffic;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;
use Workbench\Rig\Rig;

/**
 * Requests of the front controller that end early or lack something: no acknowledged event is lost, and each client
 * gets an answer that tells it what to do.
 */
final class FrontControllerTest extends TestCase
{
    private const OPEN = ['intake' => ['auth' => false]];

    private ?PublishedSite $site = null;

    private string $disk = '';

    protected function tearDown(): void
    {
        $this->site?->remove();

        if ($this->disk !== '') {
            (new Process(['umount', $this->disk]))->run();
            rmdir($this->disk);
        }
    }

    #[Test, Group('day-3')]
    public function killed_workers_take_no_acknowledged_event_along(): void
    {
        $site = $this->site = PublishedSite::publish(self::OPEN)->serve();
        $kills = 0;

        $traffic = (new Traffic($site->address(), mayFail: true))->run(static function (Traffic $it) use (
            $site,
            &$kills,
        ): bool {
            if (count($it->acknowledged) > 150 * ($kills + 1) && $site->stack()->killRandomWorker() !== null) {
                $kills++;
            }

            return $kills === 12;
        });

        self::assertGreaterThan(1_500, count($traffic->acknowledged));
        // nginx answers 502 if a worker ends before it has answered.
        self::assertSame(
            [],
            array_filter(
                $traffic->failures,
                static fn (string $failure): bool => ! str_contains($failure, '502 Bad Gateway'),
            ),
        );
        self::assertLessThan(50, count($traffic->failures));
        $collected = $site->collected();
        self::assertSame('', $traffic->differsFrom($collected), $site->log());
        // FPM writes head, body and end of an answer at once, and then reads the end of the request. Killed in between
        // it resets the connection: nginx (seen with 1.22) has the whole answer, logs that it could not read on, sends
        // the head alone, and keeps the client's connection open until its keepalive_timeout.
        self::assertSame([], array_diff($traffic->cut, $collected), 'what was said to be accepted is there');
        self::assertLessThanOrEqual(
            substr_count($site->log(), '(104: Connection reset by peer) while reading upstream'),
            count($traffic->cut),
        );
        // Counted before they were acknowledged.
        self::assertGreaterThanOrEqual(
            count($traffic->acknowledged),
            (new SapiCounters(
                "{$site->directory}/spool/collector/".SapiCounters::DIRECTORY,
            ))->sum()['headroom_events_accepted_total'],
        );
    }

    #[Test, Group('day-1')]
    public function a_full_disk_is_503_and_is_served_again_when_there_is_room(): void
    {
        $this->disk = sys_get_temp_dir().'/headroom-disk-'.bin2hex(random_bytes(6));
        mkdir($this->disk);

        if (
            posix_geteuid() !== 0
            || (new Process(['mount', '-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', $this->disk]))->run() !== 0
        ) {
            rmdir($this->disk);
            $this->disk = '';
            self::markTestSkipped('Only root can mount a small disk, and not in every container.');
        }

        $site = $this->site = PublishedSite::publish(self::OPEN, ['path' => "{$this->disk}/spool"])->serve();
        self::assertSame(202, $site->post('{"type":"t","id":"before"}')[0]);
        $filler = fopen("{$this->disk}/filler", 'w');
        self::assertIsResource($filler);

        while (@fwrite($filler, str_repeat('x', 4_096)) === 4_096);
        fclose($filler);

        [$status, $headers, $body] = $site->post('{"type":"t","id":"full","data":"'.str_repeat('y', 100_000).'"}');
        self::assertSame(503, $status, $body);
        self::assertSame('application/problem+json', $headers['content-type']);
        self::assertArrayHasKey('retry-after', $headers);
        self::assertStringContainsString('"code":"not_stored"', $body);
        self::assertMatchesRegularExpression('/\b1 .*No space left on device/', $site->log());

        unlink("{$this->disk}/filler");
        self::assertSame(202, $site->post('{"type":"t","id":"after"}')[0]);
        self::assertSame(['before', 'after'], $site->collected());
    }

    #[Test, Group('day-2')]
    #[TestWith(['<?php return [];', '/: headroom collect:publish\b/'])]
    #[TestWith(["<?php return ['version' => 0];", '/: headroom collect:publish\b/'])]
    #[TestWith(['<?php return [', '/ParseError/'])]
    #[TestWith([
        "<?php return ['version' => 1, 'classes' => '/nowhere', 'vendor' => '/nowhere'];",
        '/Error: .*ingest\.php:\d+.*: headroom collect:publish\b/',
    ])]
    #[TestWith(['<?php exit;', '/exit\(\)/'])]
    #[TestWith(["<?php return str_repeat('x', 1 << 30);", '/Allowed memory size/'])]
    #[TestWith([null, '/: headroom collect:publish\b/'])]
    public function a_front_controller_without_configuration_answers_503_and_logs_the_command(
        ?string $compiled,
        string $logged,
    ): void {
        $site = $this->site = PublishedSite::publish(self::OPEN);
        $compiled === null
            ? unlink("{$site->directory}/headroom-ingest.php")
            : file_put_contents("{$site->directory}/headroom-ingest.php", $compiled);
        $site->serve(1, ini: ['display_errors' => '1', 'html_errors' => '1', 'memory_limit' => '64M']);

        [$status, $headers, $body] = $site->post('{"type":"t"}');
        self::assertSame(503, $status, $body);
        self::assertSame('application/problem+json', $headers['content-type']);
        self::assertSame('30', $headers['retry-after']);
        $problem = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($problem);
        self::assertSame('not_set_up', $problem['code']);
        self::assertTrue($problem['retryable']);
        // nginx has logged it before it answers; FPM logs it in a line of its own, which may come later.
        self::assertMatchesRegularExpression($logged, $site->log());
    }

    #[Test, Group('day-3')]
    public function half_a_body_is_not_taken_for_a_whole_one(): void
    {
        $site = $this->site = PublishedSite::publish(self::OPEN)->serve();
        $client = new Client($site->address());
        $client->send(
            "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-ndjson\r\nContent-Length:"
                ." 60\r\n\r\n{\"type\":\"t\",\"id\":\"half\"}\n",
        )->close();

        self::assertSame(202, $site->post('{"type":"t","id":"whole"}')[0]);
        self::assertSame(['whole'], $site->collected());
    }

    #[Test, Group('day-1')]
    public function chunks_are_taken_and_measured(): void
    {
        $site = $this->site = PublishedSite::publish([...self::OPEN, 'limits' => ['body_bytes' => 1_000]])->serve();
        $send = static function (string $body) use ($site): array {
            $client = new Client($site->address());
            $head = "POST /v1/events HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding:"
                ." chunked\r\n\r\n";

            return $client->send($head.dechex(strlen($body))."\r\n{$body}\r\n0\r\n\r\n")->answer();
        };

        self::assertSame(202, $send('{"type":"t","id":"chunked"}')[0]);
        self::assertSame(413, $send('{"type":"t","id":"large","data":"'.str_repeat('x', 2_000).'"}')[0]);
        self::assertSame(['chunked'], $site->collected());
    }

    #[Test, Group('day-1')]
    public function a_revoked_key_is_refused_by_the_next_request(): void
    {
        $site = $this->site = PublishedSite::publish(['intake' => ['auth' => true]]);
        $key = json_decode(
            $site->command('collect:key', 'create', 'shop', '--rate', '100', '--json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($key);
        self::assertIsString($key['key']);
        self::assertIsString($key['id']);
        $site->serve();
        $header = "Authorization: Bearer {$key['key']}";

        self::assertSame(202, $site->post('{"type":"t","id":"first"}', $header)[0]);
        // No process lives on with a lease of the rate: none is lost.
        self::assertSame(202, $site->post('['.implode(',', array_fill(0, 97, '{"type":"t"}')).']', $header)[0]);
        self::assertSame(202, $site->post('[{"type":"t"},{"type":"t"}]', $header)[0]);
        // The window slides meanwhile.
        Patience::until(
            static fn (): bool
                => $site->post('['.implode(',', array_fill(0, 100, '{"type":"t"}')).']', $header)[0] === 429,
            'the rate is used up',
        );
        $site->command('collect:key', 'revoke', $key['id']);
        self::assertSame(401, $site->post('{"type":"t"}', $header)[0]);
    }

    #[Test, Group('day-1')]
    public function two_users_share_the_buffer_and_the_keys_as_its_modes_say(): void
    {
        if (posix_geteuid() !== 0 || Rig::user() === 'root') {
            self::markTestSkipped('Only root can be two users, and both must be able to read this checkout.');
        }

        $site = $this->site = PublishedSite::publish(
            ['intake' => ['auth' => true]],
            ['dir_mode' => 02770, 'file_mode' => 0660],
        );
        chmod($site->directory, 0755);
        mkdir("{$site->directory}/spool");
        chgrp("{$site->directory}/spool", 'www-data');
        chmod("{$site->directory}/spool", 02770);
        // By root, to be read by www-data.
        $key = json_decode(
            $site->command('collect:key', 'create', 'shop', '--rate', '100', '--json'),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($key);
        self::assertIsString($key['key']);
        $site->serve(user: 'www-data');

        [$status, , $body] = $site->post('{"type":"t","id":"shared"}', "Authorization: Bearer {$key['key']}");
        self::assertSame(202, $status, $body.$site->log());
        self::assertSame(['shared'], $site->collected());
        self::assertSame(0660, fileperms("{$site->directory}/spool/collector/keys.json") & 0777);
    }
}
