<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Composer\Autoload\ClassLoader;
use Headroom\Core\SystemClock;
use Headroom\Tests\Laravel\Support\SmtpServer;
use Headroom\Tests\Laravel\WorkbenchApplication;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * docs/uses/emails.md: welcome mails are sent behind the response, at a rate, to a real SMTP server.
 */
final class EmailsTest extends TestCase
{
    private const RATE = 100;

    /** At what time the rate lets the next one go. */
    private const GOES_ON = '/^welcome: .* \d\d:\d\d:\d\d UTC$/m';

    private SmtpServer $smtp;

    private WorkbenchApplication $workbench;

    /** @var list<Process> */
    private array $workers = [];

    protected function setUp(): void
    {
        $this->smtp = SmtpServer::start();
        $this->workbench = WorkbenchApplication::boot($this->smtp->environment())->migrate();
    }

    protected function tearDown(): void
    {
        foreach ($this->workers as $worker) {
            $worker->stop(0, SIGKILL);
        }

        // Not there where the server is not installed and the test was skipped.
        if (isset($this->workbench)) {
            $this->workbench->shut();
            $this->smtp->remove();
        }
    }

    #[Test]
    public function a_new_member_gets_a_mail_after_the_response(): void
    {
        $this->join('ada@example.com');
        self::assertSame([], $this->smtp->mails());
        $this->flush();

        self::assertSame(['ada@example.com'], $this->smtp->recipients());
        self::assertSame('Welcome, ada', $this->smtp->mails()[0]['subject']);
        self::assertSame([1, 1, 0, 0], $this->counts());
    }

    #[Test, Group('day-3')]
    public function the_rate_is_held_over_two_workers_and_the_flushes_after_them(): void
    {
        $this->join(...$this->addresses(self::RATE + 30));
        $workers = [$this->work(), $this->work()];
        $this->awaitOutput($workers, self::GOES_ON);

        foreach ($workers as $worker) {
            $worker->stop(20, SIGTERM);
        }

        self::assertCount(self::RATE, $this->smtp->mails());
        $flushed = $this->flush();
        self::assertMatchesRegularExpression('/^welcome: .*\b0\b.*\b0\b/m', $flushed);
        self::assertMatchesRegularExpression(self::GOES_ON, $flushed);
        self::assertSame(array_slice($this->addresses(self::RATE + 30), 0, self::RATE), $this->smtp->recipients());
        self::assertSame([130, 100, 0, 30], $this->counts());
    }

    #[Test]
    public function an_unknown_recipient_is_set_aside_alone(): void
    {
        $this->join('ada@example.com', 'bounce@example.com', 'grace@example.com');
        $output = $this->flush();

        self::assertSame(['ada@example.com', 'grace@example.com'], $this->smtp->recipients());
        self::assertSame([3, 2, 1, 0], $this->counts());
        self::assertMatchesRegularExpression('/^welcome: 2\b.*\b2\b.*\b1\b/m', $output);
        $letters = $this->workbench->artisan('spool:failed', ['bucket' => 'welcome']);
        self::assertMatchesRegularExpression('/550 No such user <[^@>]+>/', $letters);
        self::assertStringNotContainsString('bounce@example.com', $this->workbench->log());
    }

    #[Test, Group('day-2')]
    public function a_server_that_takes_no_mail_for_now_loses_none(): void
    {
        $this->join('ada@example.com', 'grace@example.com');
        $this->smtp->order('down');
        self::assertStringContainsString('421', $this->flush(1));
        $this->smtp->down();
        self::assertStringContainsString('Connection could not be established', $this->flush(1));
        self::assertSame([2, 0, 0, 2], $this->counts(exit: 1));
        self::assertMatchesRegularExpression('/^welcome: .*\b2 /m', $this->workbench->artisan('spool:status', exit: 1));

        $this->smtp->revoke('down');
        $this->smtp->up();
        $this->flush();
        self::assertSame(['ada@example.com', 'grace@example.com'], $this->smtp->recipients());
    }

    #[Test]
    public function a_sender_that_the_server_refuses_costs_no_mail(): void
    {
        $this->join('ada@example.com');
        $this->smtp->order('no-sender');
        self::assertStringContainsString('550', $this->flush(1));
        self::assertSame([1, 0, 0, 1], $this->counts(exit: 1));
    }

    #[Test]
    public function a_worker_killed_midway_repeats_only_the_mail_under_way(): void
    {
        $this->join(...$this->addresses(10));
        $this->smtp->order('hold');
        $worker = $this->work();
        // Three go through, each after a look, and the fourth is never answered for.
        foreach (range(1, 3) as $mail) {
            $this->smtp->awaitHeld();
            $this->smtp->letOneGo();
        }

        $this->smtp->awaitHeld();
        $worker->stop(0, SIGKILL);
        $this->smtp->revoke('hold');
        $this->flush();

        $ids = array_column($this->smtp->mails(), 'id');
        self::assertCount(10, array_unique($ids));
        self::assertCount(11, $ids);
        self::assertSame($ids[3], $ids[4], 'The same Message-ID.');
        self::assertSame([10, 10, 0, 0], $this->counts());
    }

    #[Test]
    public function the_code_on_the_page_is_the_code_that_ran(): void
    {
        UsePage::of('emails')->shows(
            ['config/spool.php', "/'rate_limit' => \\['max' => 100, 'every' => 60\\],/"],
            ['app/Buffers/SendWelcome.php', '/^final readonly class .*/ms'],
            ['app/Mail/Welcome.php', '/^    public function content.*/ms'],
            ['app/Http/Controllers/MemberController.php', '/Buffer::bucket.*add.*$/m'],
        );
    }

    private function join(string ...$addresses): void
    {
        foreach ($addresses as $address) {
            $response = $this->workbench->postJson(
                '/members',
                ['email' => $address, 'name' => explode('@', $address)[0]],
            );
            self::assertSame(202, $response->getStatusCode(), (string) $response->getContent());
        }
    }

    /** @return list<string> */
    private function addresses(int $count): array
    {
        return array_map(static fn (int $number): string => "member-{$number}@example.com", range(1, max(1, $count)));
    }

    /** @return string what it printed */
    private function flush(int $exit = 0): string
    {
        $process = $this->artisan('spool:flush', 'welcome', '--now');
        $process->run();
        self::assertSame($exit, $process->getExitCode(), $process->getOutput().$process->getErrorOutput());

        return $process->getOutput().$process->getErrorOutput();
    }

    private function work(): Process
    {
        $worker = $this->artisan('spool:work', 'welcome', '--sleep=0.02');
        $worker->start();

        return $this->workers[] = $worker;
    }

    private function artisan(string ...$arguments): Process
    {
        $vendor = array_key_first(ClassLoader::getRegisteredLoaders());
        $environment = [
            'HEADROOM_AUTOLOAD' => "{$vendor}/autoload.php",
            'APP_ENV' => 'testing',
            'DB_CONNECTION' => 'sqlite',
            'WORKBENCH_STORAGE' => $this->workbench->storage,
            ...$this->smtp->environment(),
        ];

        return new Process(
            [PHP_BINARY, WorkbenchApplication::ROOT.'/artisan', ...array_values($arguments)],
            env: $environment,
            timeout: 60,
        );
    }

    /** @param list<Process> $workers */
    private function awaitOutput(array $workers, string $pattern): void
    {
        $clock = new SystemClock;
        $until = $clock->monotonicNanos() + 30_000_000_000;

        while (array_filter(
            $workers,
            static fn (Process $worker): bool => preg_match($pattern, $worker->getOutput()) === 1,
        ) === []) {
            if ($clock->monotonicNanos() > $until) {
                throw new RuntimeException(
                    "No worker printed {$pattern}: "
                        .implode(
                            "\n",
                            array_map(
                                static fn (Process $worker): string => $worker->getOutput().$worker->getErrorOutput(),
                                $workers,
                            ),
                        ),
                );
            }

            $clock->sleep(5_000);
        }
    }

    /**
     * @param int $exit of the status
     * @return array{int, int, int, int} accepted, delivered, dead, pending
     */
    private function counts(int $exit = 0): array
    {
        /**
         * @var array{
         *     buckets: list<array{bucket: string, accepted: int, delivered: int, dead: int, pending: int}>,
         * } $status
         */
        $status = json_decode(
            $this->workbench->artisan('spool:status', ['--json' => true], $exit),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        foreach ($status['buckets'] as $bucket) {
            if ($bucket['bucket'] === 'welcome') {
                return [$bucket['accepted'], $bucket['delivered'], $bucket['dead'], $bucket['pending']];
            }
        }

        self::fail('The bucket is not in the status.');
    }
}
