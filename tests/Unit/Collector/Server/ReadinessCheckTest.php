<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Composer\Autoload\ClassLoader;
use DateTimeImmutable;
use Headroom\Collector\Request;
use Headroom\Collector\Server\DeliveryState;
use Headroom\Collector\Server\HealthEndpoints;
use Headroom\Collector\Server\ReadinessCheck;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Core\SystemClock;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Pause;
use Headroom\Spool\Status\EventCounts;
use Headroom\Spool\Status\FlushStatus;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

final class ReadinessCheckTest extends TestCase
{
    /** How large the disk is and how much waits is for operators. */
    #[Test]
    public function only_operators_are_told_sizes_and_names_of_buckets(): void
    {
        $directory = TemporaryDirectory::create('readiness');
        $home = new StateDirectory($directory->path, 0o700, 0o600);
        $home->create();
        $home->write('spool', ['at' => time(), 'buckets' => ['secret' => ['bytes' => 12_345, 'events' => 1]]]);

        foreach ([PHP_INT_MAX => null, 0 => 100] as $reserve => $highWater) {
            $readiness = new ReadinessCheck($home, new SystemClock, 'secret', $reserve, $highWater);
            $public = (new HealthEndpoints($readiness, null))->respond(new Request('GET', '/readyz', ''));
            $admin = (new HealthEndpoints(
                $readiness,
                static fn (): string => '',
            ))->respond(new Request('GET', '/readyz', ''));

            self::assertSame([503, 503], [$public?->status, $admin?->status]);
            self::assertSame(0, preg_match('/secret|\d/', self::detail($public->body ?? '')));
            self::assertSame(1, preg_match('/\d/', self::detail($admin->body ?? '')));
        }

        $directory->remove();
    }

    #[Test]
    public function a_host_without_disk_free_space_is_ready(): void
    {
        $directory = TemporaryDirectory::create('readiness');
        $process = new Process([
            Programs::php(), '-d', 'disable_functions=disk_free_space', '-r', <<<'CODE'
                use Headroom\Collector\Server\ReadinessCheck;
                use Headroom\Collector\Server\StateDirectory;

                require $argv[1];
                $home = new StateDirectory($argv[2], 0o700, 0o600);
                $check = new ReadinessCheck($home, new Headroom\Core\SystemClock, 'secret', PHP_INT_MAX, null);
                echo json_encode($check->reasonNotReady());
                CODE, '--', array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php', $directory->path,
        ]);
        $process->run();
        $directory->remove();

        self::assertSame('null', $process->getOutput(), $process->getErrorOutput());
    }

    /** @return iterable<string, array{BucketStatus, string}> */
    public static function deliveries(): iterable
    {
        $status = static fn (
            ?string $trouble = null,
            ?float $continues = null,
            ?Pause $paused = null,
            bool $isForked = false,
            ?string $setBack = null,
            ?string $error = null,
        ): BucketStatus => new BucketStatus(
            'secret',
            'file',
            new EventCounts(7, pending: 7),
            9.0,
            $error,
            paused: $paused,
            flush: new FlushStatus($trouble, goesOnSeconds: $continues),
            isForked: $isForked,
            setBack: $setBack,
        );

        yield 'nothing failed' => [$status(), 'delivering'];
        yield 'a sink that is down' => [$status('http://secret.example:9200 refused 7 events'), 'retrying'];
        $alone = static fn (?string $sink, int $pending, float $oldest): BucketStatus => new BucketStatus(
            'secret',
            $sink,
            new EventCounts(7, pending: $pending),
            $oldest,
        );
        yield 'a bucket that nothing delivers' => [$alone('file', 7, 121.0), 'waiting'];
        yield 'a bucket without a sink' => [$alone(null, 1, 1.0), 'waiting'];
        yield 'a bucket without a sink and without events' => [$alone(null, 0, 0.0), 'delivering'];
        yield 'a rate' => [$status(continues: 3.5), 'rate_limited'];
        yield 'a pause' => [$status('x', paused: new Pause(new DateTimeImmutable, 'a secret')), 'paused'];
        yield 'a restored disk' => [$status('x', isForked: true), 'stopped'];
        yield 'a restored Redis' => [$status(setBack: 'x'), 'stopped'];
        yield 'a bucket that cannot be read' => [$status(error: '/secret is gone'), 'stopped'];
    }

    #[Test]
    #[DataProvider('deliveries')]
    public function anyone_is_told_how_delivery_stands_and_no_more(BucketStatus $status, string $word): void
    {
        $directory = TemporaryDirectory::create('readiness');
        $home = new StateDirectory($directory->path, 0o700, 0o600);
        $home->create();
        $seen = ['bytes' => 12_345, 'events' => 7, 'delivery' => DeliveryState::of($status)->value];
        $home->write('spool', ['at' => time(), 'buckets' => ['secret' => $seen]]);
        $ask = static fn (int $reserve): string => (new HealthEndpoints(
            new ReadinessCheck($home, new SystemClock, 'secret', $reserve, null),
            null,
        ))->respond(new Request('GET', '/readyz', ''))->body ?? '';

        self::assertSame("ok\ndelivery: {$word}\n", $ask(0));
        $problem = json_decode($ask(PHP_INT_MAX), true);
        self::assertIsArray($problem);
        self::assertSame([$word, 'not_ready'], [$problem['delivery'], $problem['code']]);

        $home->write('spool', ['at' => time() - 121, 'buckets' => ['secret' => $seen]]);
        self::assertSame("ok\ndelivery: unknown\n", $ask(0));
        $directory->remove();
    }

    #[Test]
    public function a_slash_too_many_asks_the_same_probe(): void
    {
        $directory = TemporaryDirectory::create('readiness');
        $home = new StateDirectory($directory->path, 0o700, 0o600);
        $home->create();
        $readiness = new ReadinessCheck($home, new SystemClock, 'events', 0, null);
        $admin = new HealthEndpoints($readiness, static fn (): string => 'numbers');
        $public = new HealthEndpoints($readiness, null);

        foreach (['%s', '/%s', '%s/', '//%s//'] as $spelling) {
            foreach ([
                '/livez' => "ok\n",
                '/readyz' => "ok\ndelivery: unknown\n",
                '/metrics' => 'numbers',
            ] as $path => $body) {
                self::assertSame($body, $admin->respond(new Request('GET', sprintf($spelling, $path)))?->body);
            }

            self::assertNull($public->respond(new Request('GET', sprintf($spelling, '/metrics'))));
        }

        self::assertNull($public->respond(new Request('GET', '/livez/x')));
        self::assertNull($public->respond(new Request('GET', '/')));
        $directory->remove();
    }

    private static function detail(string $body): string
    {
        $problem = json_decode($body, true);

        return is_array($problem) && is_string($problem['detail'] ?? null) ? $problem['detail'] : self::fail($body);
    }
}
