<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Composer\Autoload\ClassLoader;
use Headroom\Spool\Exceptions\ConfigMismatch;
use Headroom\Support\WebhookSignature;
use Headroom\Testing\Arrived;
use Headroom\Tests\Contract\Support\ReceivedRequest;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Support\Sentence;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Console\Kernel;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * docs/uses/outgoing-calls.md
 */
final class OutgoingCallsTest extends TestCase
{
    private const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

    private ScriptedServer $server;

    private ?WorkbenchApplication $workbench = null;

    protected function setUp(): void
    {
        $this->server = ScriptedServer::start();
    }

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->server->stop();
    }

    #[Test]
    public function many_requests_become_one_call_that_is_signed(): void
    {
        $workbench = $this->workbench();
        $this->signUp(3);
        $early = $this->server->requests();
        self::assertSame([], $early);
        $workbench->artisan('spool:flush', ['bucket' => 'crm']);
        [$call] = $this->server->requests();

        self::assertSame([1, 3], [count($this->server->requests()), count($this->server->events())]);
        self::assertSame('person1@example.com', $this->server->events()[0]->values['email'] ?? null);
        self::assertSame(
            WebhookSignature::of(
                (string) WebhookSignature::key(self::SECRET),
                $call->headers['webhook-id'],
                $call->headers['webhook-timestamp'],
                $call->body,
            ),
            $call->headers['webhook-signature'],
        );
    }

    #[Test]
    public function a_call_that_is_too_large_is_halved_and_everything_arrives(): void
    {
        $workbench = $this->workbench();
        $this->signUp(4);
        $this->server->next(['status' => 413]);
        $workbench->artisan('spool:flush', ['bucket' => 'crm']);

        self::assertSame([4, 2, 2], $this->sizes());
        self::assertSame(
            ['person1@example.com', 'person2@example.com', 'person3@example.com', 'person4@example.com'],
            $this->arrived(),
        );
        $keys = array_map(
            static fn (ReceivedRequest $request): string => $request->headers['idempotency-key'],
            $this->server->requests(),
        );
        self::assertCount(3, array_unique($keys), 'Other content has another key.');
    }

    #[Test]
    #[TestWith([400])]
    #[TestWith([422])]
    public function the_one_event_that_is_refused_dies_alone(int $status): void
    {
        $workbench = $this->workbench();
        $this->signUp(4);

        foreach ([$status, 200, $status, $status, 200] as $answer) {
            $this->server->next(['status' => $answer, 'body' => 'person3@example.com is not wanted']);
        }

        $told = $workbench->artisan('spool:flush', ['bucket' => 'crm']);
        self::assertSame([4, 2, 2, 1, 1], $this->sizes());
        self::assertSame(['person1@example.com', 'person2@example.com', 'person4@example.com'], $this->arrived());
        Sentence::assertNames(["HTTP {$status}"], $told);
        self::assertStringNotContainsString('person3', $told.$workbench->log());
        self::assertStringContainsString('person3@example.com', $this->letters($workbench));
    }

    #[Test, Group('day-2')]
    #[TestWith([401])]
    #[TestWith([404])]
    #[TestWith([301])]
    public function a_wrong_key_or_address_kills_nothing_and_may_be_changed_while_events_wait(int $status): void
    {
        $workbench = $this->workbench();
        $this->signUp(60);
        $this->server->always(['status' => $status, 'headers' => ['Location' => '/elsewhere']]);
        self::assertSame(1, $this->flush($workbench));
        self::assertSame(1, $this->flush($workbench));
        self::assertSame([60, 60], $this->sizes());
        self::assertSame('', $this->letters($workbench));

        $other = ScriptedServer::start();

        try {
            $workbench = $this->changed([
                'url' => $other->url('/v2/contacts'),
                'sign' => 'another secret of some length',
            ]);
            $this->signUp(1);
            self::assertSame(0, $this->flush($workbench), $workbench->log());
            self::assertCount(61, $other->events());
        } finally {
            $other->stop();
        }
    }

    #[Test]
    public function while_a_range_is_in_doubt_its_key_may_change_but_not_its_address(): void
    {
        $workbench = $this->workbench();
        $this->signUp(2);
        $this->server->next(['do' => 'close', 'keeps' => true]);
        self::assertSame(1, $this->flush($workbench));
        $workbench = $this->changed(['sign' => 'another secret of some length']);
        $this->server->always(['honours' => true]);
        self::assertSame(0, $this->flush($workbench), $workbench->log());
        $keys = array_map(
            static fn (ReceivedRequest $request): string => $request->headers['idempotency-key'],
            $this->server->requests(),
        );

        self::assertSame($keys[0], $keys[1]);
        self::assertCount(2, $this->server->events());

        $this->signUp(1);
        $this->server->always(['do' => 'close']);
        self::assertSame(1, $this->flush($workbench));
        $workbench = $this->changed(['url' => $this->server->url('/elsewhere')]);
        self::assertSame(1, $this->flush($workbench));
        $output = $workbench->app->make(Kernel::class)->output();
        Sentence::assertIn(ConfigMismatch::sinkChanged('crm', 'http:'.Sentence::ANY, Sentence::ANY), $output);
    }

    #[Test]
    #[TestDox('response of an HTTP server lost')]
    public function a_range_that_may_have_arrived_keeps_its_key_after_a_refusal(): void
    {
        $workbench = $this->workbench();
        $this->signUp(2);
        $this->server->next(['do' => 'close', 'keeps' => true]);
        $this->server->next(['status' => 404]);
        $this->server->always(['honours' => true]);
        self::assertSame(1, $this->flush($workbench));
        $this->signUp(1);
        self::assertSame(1, $this->flush($workbench), 'Turned away.');
        self::assertSame(0, $this->flush($workbench));

        self::assertSame([2, 2, 2, 1], $this->sizes());
        self::assertCount(3, $this->server->events(), 'Each once.');
    }

    #[Test]
    public function after_a_flusher_is_killed_in_a_call_the_same_call_is_made(): void
    {
        $workbench = $this->workbench();
        $this->signUp(2);
        $this->server->next(['do' => 'hang', 'keeps' => true]);
        $this->server->always(['honours' => true, 'do' => 'answer']);
        $flusher = new Process([PHP_BINARY, WorkbenchApplication::ROOT.'/artisan', 'spool:flush', 'crm'], env: [
            'HEADROOM_AUTOLOAD' => array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php',
            'WORKBENCH_STORAGE' => $workbench->storage,
            'CRM_URL' => $this->server->url('/contacts'),
            'CRM_SECRET' => self::SECRET,
        ]);
        $flusher->start();

        while ($this->server->requests() === []) {
            self::assertTrue($flusher->isRunning(), $flusher->getOutput().$flusher->getErrorOutput());
            usleep(5_000);
        }

        $flusher->signal(SIGKILL);
        $flusher->wait();
        $this->signUp(1);
        self::assertSame(0, $this->flush($workbench), $workbench->log());
        $keys = array_map(
            static fn (ReceivedRequest $request): string => $request->headers['idempotency-key'],
            $this->server->requests(),
        );

        self::assertSame([2, 2, 1], $this->sizes(), 'The very range.');
        self::assertSame([$keys[0], 2], [$keys[1], count(array_unique($keys))]);
        self::assertCount(3, $this->server->events(), 'Each once.');
    }

    #[Test, Group('day-1')]
    public function no_secret_is_printed_or_logged(): void
    {
        $workbench = $this->workbench([
            'CRM_URL' => str_replace(
                '://',
                '://ada:sesame-user@',
                $this->server->url('/hooks/sesame-path?key=sesame-query'),
            ),
            'CRM_SECRET' => 'sesame-secret-of-some-length',
        ]);
        $this->signUp(3);
        $this->server->always(['status' => 500]);
        self::assertSame(1, $this->flush($workbench));
        $kernel = $workbench->app->make(Kernel::class);
        $told = $workbench->log().file_get_contents("{$workbench->storage}/app/private/buffer/buckets/crm/state");

        foreach ([
            'spool:status', 'spool:status --json', 'spool:health', 'spool:health --json', 'spool:peek crm',
            'spool:flush', 'spool:verify',
        ] as $command) {
            $kernel->call($command);
            $told .= $kernel->output();
        }

        $told .= $workbench->artisanProcess('about');
        $this->server->always(['status' => 422]);
        $this->flush($workbench);
        $kernel->call('spool:failed crm');
        $told .= $kernel->output().$workbench->log();

        foreach ((array) glob(
            "{$workbench->storage}/app/private/buffer/buckets/crm/{state,dead/*}",
            GLOB_BRACE,
        ) as $file) {
            $told .= (string) file_get_contents((string) $file);
        }

        self::assertStringContainsString('HTTP 500', $told);
        self::assertStringContainsString('HTTP 422', $told);
        self::assertMatchesRegularExpression('/http:[0-9a-f]{16}/', $told, 'The state file was among them.');
        self::assertStringNotContainsString('sesame', $told);
        self::assertSame('/hooks/sesame-path?key=sesame-query', $this->server->requests()[0]->path);
    }

    #[Test]
    public function overflow_direct_calls_within_the_request(): void
    {
        $workbench = $this->workbench(['SPOOL_MIN_FREE_BYTES' => '1000000000000000']);
        $this->signUp(1);

        self::assertCount(1, $this->server->events());
        self::assertStringStartsWith('direct-', $this->server->requests()[0]->headers['idempotency-key']);
        $this->server->next(['status' => 503]);
        self::assertSame(
            500,
            $workbench->postJson('/contacts', ['email' => 'late@example.com', 'name' => 'Late'])->getStatusCode(),
        );
    }

    #[Test]
    public function the_page_shows_the_code_of_the_workbench(): void
    {
        UsePage::of('outgoing-calls')
            ->shows(['app/Http/Controllers/ContactController.php', '/^    public function __invoke.*?^    }$/ms']);
    }

    private function flush(WorkbenchApplication $workbench): int
    {
        return $workbench->app->make(Kernel::class)->call('spool:flush', ['bucket' => 'crm', '--now' => true]);
    }

    private function signUp(int $people): void
    {
        for ($number = 1; $number <= $people; $number++) {
            self::assertSame(
                202,
                $this->workbench?->postJson(
                    '/contacts',
                    ['email' => "person{$number}@example.com", 'name' => "Person {$number}"],
                )->getStatusCode(),
                (string) $this->workbench?->log(),
            );
        }
    }

    /** @return list<int> events in each call */
    private function sizes(): array
    {
        return array_map(
            static fn (ReceivedRequest $request): int => count((array) json_decode($request->body)),
            $this->server->requests(),
        );
    }

    /** @return list<mixed> */
    private function arrived(): array
    {
        return array_map(static fn (Arrived $event): mixed => $event->values['email'] ?? null, $this->server->events());
    }

    private function letters(WorkbenchApplication $workbench): string
    {
        return implode(
            "\n",
            array_map(
                static fn (mixed $file): string => (string) file_get_contents((string) $file),
                (array) glob("{$workbench->storage}/app/private/buffer/buckets/crm/dead/*"),
            ),
        );
    }

    /** @param array<string, string> $environment */
    private function workbench(array $environment = []): WorkbenchApplication
    {
        return $this->workbench = WorkbenchApplication::boot([
            'CRM_URL' => $this->server->url('/contacts'),
            'CRM_SECRET' => self::SECRET,
            ...$environment,
        ]);
    }

    /**
     * The next process, with other settings.
     *
     * @param array<string, string> $settings
     */
    private function changed(array $settings): WorkbenchApplication
    {
        self::assertNotNull($this->workbench);
        $this->workbench = $this->workbench->reboot();

        foreach ($settings as $name => $value) {
            $this->workbench->app->make(Repository::class)->set("spool.buckets.crm.{$name}", $value);
        }

        return $this->workbench;
    }
}
