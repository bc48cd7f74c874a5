<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Alerts\AlertDelivery;
use Headroom\Laravel\Alerts\AlertServices;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Mail\Mailer;
use Illuminate\Mail\MailManager;
use Illuminate\Mail\Transport\ArrayTransport;
use Symfony\Component\Mailer\SentMessage;
use Symfony\Component\Mime\Email;

/**
 * A buffer whose clock a test sets, and an application that sends mails into an array.
 */
abstract class AlertsTestCase extends SpoolTestCase
{
    protected const MAILBOX = 'ops@example.com';

    protected OnWorkbench $on;

    protected SetClock $clock;

    protected function setUp(): void
    {
        parent::setUp();
        $this->on = OnWorkbench::with(WorkbenchDatabase::Sqlite);
        $this->clock = new SetClock((new SystemClock)->micros());
        $this->configure(['mail' => [self::MAILBOX]]);
        $this->config()->set('mail.default', 'array');
    }

    protected function tearDown(): void
    {
        $this->on->shut();
        parent::tearDown();
    }

    protected function config(): Repository
    {
        return $this->on->workbench->app->make(Repository::class);
    }

    /** @param array<string, mixed> $notify */
    protected function configure(array $notify): void
    {
        $this->config()->set('headroom.notify', $notify);
    }

    /** As a process of its own does. */
    protected function services(): AlertServices
    {
        return new AlertServices($this->on->workbench->app, $this->spool->runtime($this->clock));
    }

    /** @return array<string, ?string> the failure of each channel that was to be told something */
    protected function check(): array
    {
        $deliveries = $this->services()->check()->run();

        return array_combine(
            array_map(static fn (AlertDelivery $delivery): string => $delivery->channel, $deliveries),
            array_map(static fn (AlertDelivery $delivery): ?string => $delivery->failure, $deliveries),
        );
    }

    protected function pass(int $seconds): void
    {
        $this->clock->micros += 1_000_000 * $seconds;
    }

    protected function flush(string $bucket = 'api-events'): int
    {
        return $this->spool->run(
            FlushCommand::class,
            ['bucket' => $bucket, '--now' => true],
            $this->spool->runtime($this->clock),
        )->exit;
    }

    /** A failure that the check of a second minute sees as well. */
    protected function failTwice(): void
    {
        self::assertSame(1, $this->flush());
        $this->pass(60);
        self::assertSame(1, $this->flush());
        self::assertArrayNotHasKey('mail', $this->check());
        $this->pass(60);
    }

    protected function breakSink(): void
    {
        $this->spool->database()->statement('alter table api_events rename to elsewhere');
    }

    protected function repairSink(): void
    {
        $this->spool->database()->statement('alter table elsewhere rename to api_events');
    }

    /** Events with one name are refused from the second one on. */
    protected function deadLetters(int $letters): void
    {
        $this->spool->database()->statement('create unique index if not exists once on api_events (event)');
        $this->spool->add(1);
        $this->flush();
        $this->spool->add($letters);
        $this->flush();
    }

    /** @return int lines of the log that match */
    protected function logged(string $pattern): int
    {
        return count((array) preg_grep($pattern, $this->spool->logged));
    }

    protected function limit(int $bytes): void
    {
        $bucket = $this->spool->buckets['api-events'];
        self::assertIsArray($bucket);
        $this->spool->buckets['api-events'] = [...$bucket, 'max_bytes' => $bytes];
    }

    /** @return list<Email> since the last call */
    protected function mails(): array
    {
        $mailer = $this->on->workbench->app->make(MailManager::class)->mailer('array');
        self::assertInstanceOf(Mailer::class, $mailer);
        $transport = $mailer->getSymfonyTransport();
        self::assertInstanceOf(ArrayTransport::class, $transport);
        $mails = [];

        foreach ($transport->messages() as $sent) {
            self::assertInstanceOf(SentMessage::class, $sent);
            $mail = $sent->getOriginalMessage();
            self::assertInstanceOf(Email::class, $mail);
            $mails[] = $mail;
        }

        $transport->flush();

        return $mails;
    }

    /** @return list<string> subjects of the mails since the last call, without the application and the host */
    protected function subjects(): array
    {
        return array_map(
            static fn (Email $mail): string
                => (string) preg_replace('/\A\[[^]]*\] | \([^)]*\)\z/', '', (string) $mail->getSubject()),
            $this->mails(),
        );
    }
}
