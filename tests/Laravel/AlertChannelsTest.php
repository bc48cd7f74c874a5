<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Alerts\AlertMessage;
use Headroom\Laravel\Alerts\AlertNotification;
use Headroom\Laravel\Alerts\AlertServices;
use Headroom\Laravel\Alerts\SlackChannel;
use Headroom\Laravel\Console\NotifyCommand;
use Headroom\Spool\Alerts\Alert;
use Headroom\Spool\Alerts\AlertCause;
use Headroom\Spool\Events\AlertsRaised;
use Headroom\Spool\Events\AlertsResolved;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\AlertsTestCase;
use Headroom\Tests\Laravel\Support\PagedTeam;
use Headroom\Tests\Support\Sample;
use Illuminate\Contracts\Events\Dispatcher as Events;
use Illuminate\Contracts\Notifications\Dispatcher;
use Illuminate\Http\Client\Factory;
use Illuminate\Notifications\AnonymousNotifiable;
use Illuminate\Notifications\Messages\MailMessage;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * What the receivers of alerts get, and what happens when one does not take it.
 */
final class AlertChannelsTest extends AlertsTestCase
{
    private const HOSTILE =
        "<!channel> <https://evil.example|click> &amp; <script>alert(1)</script> **b** [x](http://y)\n"
            ."\e[31m# `id` \u{202E}evil \xFF";

    private ?ScriptedServer $slack = null;

    protected function tearDown(): void
    {
        PagedTeam::$throws = false;
        $this->slack?->stop();
        parent::tearDown();
    }

    private function slack(): ScriptedServer
    {
        if ($this->slack === null) {
            $this->slack = ScriptedServer::start();
            $this->takeAll();
        }

        return $this->slack ?? self::fail('There is no receiver.');
    }

    /** As Slack answers. What it gets are no events. */
    private function takeAll(): void
    {
        $this->slack?->always(['status' => 200, 'body' => 'ok', 'keeps' => false]);
    }

    /** @param list<Alert> $alerts */
    private static function message(array $alerts): AlertMessage
    {
        return new AlertMessage('Shop production', 'web-1', $alerts);
    }

    private static function hostile(string $text = self::HOSTILE): Alert
    {
        return new Alert(AlertCause::BucketStopped, 'bucket a', "Its flush fails: {$text}", 'Run `spool:health`.', 'a');
    }

    /** @return array<mixed> the last request's JSON */
    private function posted(): array
    {
        $requests = $this->slack()->requests();
        $request = $requests[count($requests) - 1] ?? self::fail('There was no request.');
        self::assertSame(['POST', 'application/json'], [$request->method, $request->headers['content-type']]);
        $json = json_decode($request->body, true, flags: JSON_THROW_ON_ERROR);

        return is_array($json) ? $json : self::fail($request->body);
    }

    #[Test]
    public function slack_gets_a_header_and_a_section_for_each_problem(): void
    {
        (new SlackChannel(new Factory, $this->slack()->url('/services/T/B/X')))->send(self::message([
            new Alert(AlertCause::DeadLetters, 'bucket a', 'It has 3 dead letters.', 'Run `spool:failed a`.', 'a'),
            new Alert(AlertCause::DiskShort, '/var/spool', 'It is full.', 'Free space.'),
        ]));

        self::assertSame(
            '[Shop production] Dead letters, Disk space is short (web-1)',
            $this->posted()['text'] ?? null,
        );
        self::assertSame(
            ['header', 'section', 'section'],
            array_column((array) ($this->posted()['blocks'] ?? []), 'type'),
        );
        self::assertSame(
            "*Dead letters: bucket a*\nIt has 3 dead letters.\nRun `php artisan spool:failed a`.",
            $this->sections()[0],
        );
    }

    /** @return list<string> */
    private function sections(): array
    {
        $texts = [];

        foreach (array_slice((array) ($this->posted()['blocks'] ?? []), 1) as $block) {
            self::assertIsArray($block);
            self::assertIsArray($block['text']);
            self::assertIsString($block['text']['text']);
            self::assertLessThanOrEqual(3000, mb_strlen($block['text']['text'], 'UTF-8'));
            $texts[] = $block['text']['text'];
        }

        return $texts;
    }

    /** @return iterable<string, array{string}> */
    public static function texts(): iterable
    {
        yield 'markup' => [self::HOSTILE];
        yield 'long' => [str_repeat('&<>', 5000)];
        yield 'long and wide' => [str_repeat('😀', 5000)];

        for ($i = 0; $i < Sample::number(3, 60); $i++) {
            $seed = Sample::seed() + $i;

            yield "seed {$seed}" => [(new Randomizer(new Mt19937($seed)))->getBytes(900)];
        }
    }

    #[Test]
    #[DataProvider('texts')]
    public function a_text_of_a_sink_is_text_in_slack(string $text): void
    {
        $alerts = array_map(
            static fn (int $number): Alert
                => new Alert(AlertCause::BucketStopped, "{$text} {$number}", $text, 'Do it.', "b{$number}"),
            range(1, 60),
        );
        (new SlackChannel(new Factory, $this->slack()->url()))->send(self::message($alerts));

        self::assertLessThanOrEqual(50, count((array) ($this->posted()['blocks'] ?? [])));

        foreach ($this->sections() as $section) {
            self::assertDoesNotMatchRegularExpression('/[<>]|&(?!(?:amp|lt|gt);)/', $section);
            self::assertDoesNotMatchRegularExpression('/[^\P{C}\n]/u', strtr($section, ["\u{E000}" => '']), $section);
        }

        self::assertStringContainsString('45 more problems', implode('', $this->sections()));
    }

    #[Test]
    #[DataProvider('texts')]
    public function a_text_of_a_sink_is_text_in_a_mail(string $text): void
    {
        $this->on->workbench->app->make(Dispatcher::class)->send(
            (new AnonymousNotifiable)->route('mail', [self::MAILBOX]),
            new AlertNotification(self::message([self::hostile($text)])),
        );
        [$mail] = $this->mails();
        $message = self::message([self::hostile($text)])->parts()[0]->message;
        // Laravel takes some backslashes away after it has rendered the HTML.
        $shown = strtr($message, ['\\' => '']);
        $html = (string) $mail->getHtmlBody();
        $paragraphs = array_map(
            static fn (string $one): string
                => strtr(html_entity_decode($one, ENT_QUOTES | ENT_HTML5, 'UTF-8'), ['\\' => '']),
            preg_match_all('~<p[^>]*>(.*?)</p>~s', $html, $all) > 0 ? $all[1] : [],
        );

        self::assertContains($shown, $paragraphs, 'It is one paragraph without any markup.');
        self::assertStringContainsString($message, (string) $mail->getTextBody());
        self::assertContains('Run `php artisan spool:health`.', $paragraphs);
        self::assertDoesNotMatchRegularExpression('~<script|evil\.example"|href="http://y~', $html);
    }

    #[Test]
    public function each_receiver_gets_a_test_and_says_whether_it_took_it(): void
    {
        $this->configure([
            'mail' => 'a@example.com, b@example.com',
            'slack' => $this->slack()->url('/services/secret'),
        ]);
        $this->slack()->next(['status' => 500, 'body' => "no_service\n\e[1m"]);
        $tester = new CommandTester(new NotifyCommand($this->spool->runtime(), $this->services()));

        self::assertSame(1, $tester->execute(['--test' => true]));
        self::assertSame(
            "slack: failed. The webhook answered 500: no_service\\n\\e[1m.\nmail: took the test message.\n",
            $tester->getDisplay(),
        );
        self::assertSame(['Test message from '.gethostname()], $this->subjects());
        self::assertSame(0, $tester->execute(['--test' => true]));
        self::assertSame(
            ['a@example.com', 'b@example.com'],
            array_map(static fn ($to): string => $to->getAddress(), $this->mails()[0]->getTo()),
        );

        $this->configure([]);
        self::assertSame(1, $tester->execute(['--test' => true]));
        self::assertSame(0, $tester->execute([]));
    }

    /** @param array<string, mixed> $act */
    #[Test]
    #[TestWith([['status' => 302, 'headers' => ['Location' => 'http://127.0.0.1:1/']], '302'])]
    #[TestWith([['status' => 404, 'body' => 'no_team'], 'no_team'])]
    #[TestWith([['do' => 'close'], 'webhook'])]
    #[TestWith([['do' => 'hang', 'keeps' => false], 'timed out'])]
    public function a_webhook_that_fails_ends_in_time_and_keeps_its_address(array $act, string $reason): void
    {
        $this->configure(['slack' => $this->slack()->url('/services/T0/B0/secret')]);
        $this->slack()->next($act);
        $tester = new CommandTester(new NotifyCommand($this->spool->runtime(), $this->services()));

        self::assertSame(1, $tester->execute(['--test' => true]));
        self::assertStringContainsString($reason, $tester->getDisplay());
        self::assertStringNotContainsString('secret', $tester->getDisplay());
    }

    #[Test]
    public function a_receiver_that_fails_gets_the_message_later_and_no_other_gets_it_again(): void
    {
        PagedTeam::$throws = true;
        $this->configure([
            'mail' => [self::MAILBOX], 'slack' => $this->slack()->url(), 'notifiable' => PagedTeam::class,
        ]);
        $this->slack()->always(['status' => 503]);
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();

        for ($minute = 0; $minute < 70; $minute++) {
            $failed = array_filter($this->check(), is_string(...));
            self::assertSame(['slack', 'notifiable'], array_keys($failed));
            $this->pass(60);
        }

        self::assertCount(1, $this->mails());
        self::assertSame(
            [2, 2],
            [
                $this->logged("/channel 'slack' took no message: The webhook answered 503/"),
                $this->logged('/took no message: The team\\\\nis away\./'),
            ],
        );

        PagedTeam::$throws = false;
        $this->takeAll();
        self::assertSame(['slack' => null, 'notifiable' => null], $this->check());
        self::assertSame('team@example.com', $this->mails()[0]->getTo()[0]->getAddress());
        self::assertSame([], $this->check());
    }

    #[Test]
    public function a_message_that_no_receiver_took_is_dropped_when_all_is_well(): void
    {
        $this->configure(['slack' => $this->slack()->url()]);
        $this->slack()->next(['status' => 503]);
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $this->check();
        $this->repairSink();
        $this->flush();

        self::assertSame([], $this->check());
        self::assertCount(1, $this->slack()->requests());
    }

    #[Test]
    public function a_subclass_of_the_notification_takes_its_place(): void
    {
        $this->on->workbench->app->bind(AlertNotification::class, SignedAlert::class);
        $this->services()->test();

        self::assertSame('From the pager', (string) $this->mails()[0]->getSubject());
    }

    #[Test]
    public function listeners_hear_of_problems_and_of_their_end(): void
    {
        $this->configure([]);
        $heard = [];
        $events = $this->on->workbench->app->make(Events::class);
        self::assertFalse($this->services()->isUsed());
        $events->listen(
            [AlertsRaised::class, AlertsResolved::class],
            static function (object $event) use (&$heard): void {
                self::assertTrue($event instanceof AlertsRaised || $event instanceof AlertsResolved);
                $heard[] = [$event::class, $event->alerts[0]->cause, $event->alerts[0]->bucket];
            },
        );
        $spool = $this->spool->runtime($this->clock, events: $events);
        $services = new AlertServices($this->on->workbench->app, $spool);
        self::assertTrue($services->isUsed());
        $this->spool->add(1);
        $this->breakSink();
        $this->failTwice();
        $services->check()->run();
        $this->pass(60);
        $services->check()->run();
        $services->check()->run();
        $this->repairSink();
        $this->flush();
        $services->check()->run();
        $services->check()->run();

        self::assertSame([
            [AlertsRaised::class, AlertCause::BucketStopped, 'api-events'],
            [AlertsResolved::class, AlertCause::BucketStopped, 'api-events'],
        ], $heard);
    }

    /** @param array<string, mixed> $settings */
    #[Test]
    #[TestWith([['mail' => ['no-address']], 'no-address'])]
    #[TestWith([['mail' => 7], 'headroom.notify.mail'])]
    #[TestWith([['slack' => 'hooks.slack.com/t0k3n'], 'headroom.notify.slack'])]
    #[TestWith([['slack' => ['t0k3n']], 'headroom.notify.slack'])]
    #[TestWith([['mail' => ['a@example.com'], 'after' => 0], 'headroom.notify.after'])]
    #[TestWith([['mail' => ['a@example.com'], 'after' => 1441], '1441'])]
    #[TestWith([['mail' => ['a@example.com'], 'sms' => 1], 'headroom.notify.sms'])]
    public function a_setting_that_is_wrong_is_named_and_logged_once_an_hour(array $settings, string $named): void
    {
        $this->spool->add(1);
        $this->configure($settings);
        $command = new NotifyCommand($this->spool->runtime($this->clock), $this->services());

        for ($time = 0; $time < 3; $time++) {
            $tester = new CommandTester($command);
            self::assertSame(1, $tester->execute([], ['capture_stderr_separately' => true]));
            self::assertStringContainsString($named, $tester->getErrorOutput());
            self::assertStringNotContainsString('t0k3n', $tester->getErrorOutput());
        }

        self::assertCount(1, $this->spool->logged);
        self::assertStringContainsString($named, $this->spool->logged[0]);
        $this->expectException(InvalidConfig::class);
        $this->services()->test();
    }
}

final class SignedAlert extends AlertNotification
{
    public function toMail(object $notifiable): MailMessage
    {
        return parent::toMail($notifiable)->subject('From the pager');
    }
}
