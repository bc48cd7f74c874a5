<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Real processes that wait for a name server.
 */
final class NameServerWaitsTest extends TestCase
{
    private ?TemporaryDirectory $directory = null;

    protected function tearDown(): void
    {
        $this->directory?->remove();
    }

    #[Test]
    public function a_process_that_asks_a_name_server_resolves(): void
    {
        $wait = (new Script('fread(stream_socket_client("udp://127.0.0.1:53"), 1);'))->comesTo(WaitKind::Resolving);

        self::assertSame('127.0.0.1:53', $wait->peer?->address);
    }

    /** @return iterable<string, array{string}> */
    public static function lookingUp(): iterable
    {
        yield 'gethostbyname()' => ['gethostbyname("nowhere.example");'];
        yield 'curl, in a thread' => ['curl_exec(curl_init("http://nowhere.example/"));'];
    }

    #[Test, Group('day-3')]
    #[DataProvider('lookingUp')]
    public function a_name_server_that_does_not_answer_is_named(string $code): void
    {
        $server = @stream_socket_server('udp://127.0.0.77:53', flags: STREAM_SERVER_BIND);
        $unshare = new Process(['unshare', '-m', 'true']);

        if ($server === false || $unshare->run() !== 0) {
            self::markTestSkipped('It takes root, and the right to mount, to have a name server of its own.');
        }

        $file = ($this->directory = TemporaryDirectory::create('waits'))->write(
            'resolv.conf',
            "nameserver 127.0.0.77\noptions timeout:30\n",
        );
        $mount = 'pcntl_unshare(CLONE_NEWNS) || exit(1); exec("mount --make-rprivate / && mount --bind {$argv[1]} '
            .'/etc/resolv.conf", $o, $c); $c === 0 || exit(1); ';

        self::assertSame(
            '127.0.0.77:53',
            (new Script($mount.$code, $file))->comesTo(WaitKind::Resolving)->peer?->address,
        );
    }
}
