<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use PHPUnit\Framework\Assert;
use RuntimeException;

/**
 * A world in which a scenario goes wrong, once or several times in a row, and what must be true afterwards.
 */
final class Trial
{
    /** @var list<string> ids of events that were reported to the caller as accepted */
    private array $accepted;

    /** @var list<string> ids of events whose caller got no answer: they may arrive */
    private array $open = [];

    /** @var list<string> what happened, for a message */
    private array $story = [];

    private function __construct(
        private readonly Spawner $spawner,
        private readonly Scenario $scenario,
        private readonly World $world,
    ) {
        $this->accepted = $scenario->prepare($world);
    }

    public static function of(Scenario $scenario, Spawner $spawner, Database $database = Database::Sqlite): self
    {
        return new self($spawner, $scenario, $scenario->world(World::create($database)));
    }

    public function end(): void
    {
        $this->world->destroy();
    }

    /** @return list<SystemCall> of the step, which is undisturbed */
    public function trace(Scenario $step): array
    {
        [$ending, $log] = $this->perform($step, []);
        Assert::assertSame(0, $ending->code, $this->story($ending->inWords()));
        $this->note($step, $ending);

        return Strace::calls($log, [$this->world->directory, '<TCP']);
    }

    /** The step, ended by SIGKILL when it is about to make this call. */
    public function kill(Scenario $step, SystemCall $call): void
    {
        $this->story[] = "{$step->value}, killed before {$call->inWords()}";
        [$ending] = $this->perform($step, [$call->with('signal=KILL')]);
        Assert::assertTrue($ending->wasKilled(), $this->story('It was not killed there. '.$ending->inWords()));
        $this->note($step, $ending);
        $this->assertAccountsAgree();
    }

    /** The step, in which a call fails. */
    public function fail(Scenario $step, SystemCall $call, string $error, string $times = ''): Ending
    {
        $this->story[] = "{$step->value} with {$error}{$times} from {$call->inWords()}";
        [$ending] = $this->perform($step, [$call->with("error={$error}", $times)]);
        Assert::assertSame([0, 0], [$ending->signal, $ending->code], $this->story($ending->inWords()));

        if ($this->scenario !== Scenario::DamagedFlush) {
            Assert::assertSame([], $ending->said('alarm'), $this->story());
        }

        foreach ($ending->said('why') as $why) {
            Assert::assertMatchesRegularExpression(
                '/^(Headroom|Illuminate|PDOException)/',
                $why,
                $this->story('It did not fail with words of ours.'),
            );
        }

        $this->story[] = 'it said '.json_encode($ending->said('why'), JSON_UNESCAPED_SLASHES);
        $this->note($step, $ending);
        Assert::assertSame(
            [],
            array_diff($step->ids(), $ending->said('accepted'), $ending->said('refused')),
            $this->story(),
        );
        $this->assertAccountsAgree();

        return $ending;
    }

    /** Nothing is wrong with an append and a flush, and with what arrives by them. */
    public function assertWhole(): void
    {
        $bucket = $this->scenario->bucket();
        $this->world->append(['fresh'], $bucket);
        // Larger batches than before: what was begun must be sent as it was begun.
        $report = ($bucket === 'events' ? $this->world : $this->world->withBatch(1000))->flush($bucket);
        Assert::assertNull($report->failure, $this->story($report->failure?->getMessage() ?? ''));
        Assert::assertFalse($report->busy, $this->story('The bucket was busy.'));

        if ($this->scenario !== Scenario::DamagedFlush) {
            Assert::assertSame(
                [],
                array_filter($report->losses, static fn ($loss): bool => $loss->isAlarming),
                $this->story(),
            );
        }

        $this->assertDeliveriesMeet();
        $arrived = $bucket === 'events' ? $this->world->rows() : $this->arrivedInFile();
        $expected = [...$this->accepted, 'fresh'];
        Assert::assertSame(array_values(array_unique($arrived)), $arrived, $this->story('Something arrived twice.'));
        Assert::assertSame(
            [],
            array_values(array_diff($expected, $arrived)),
            $this->story('Something accepted was lost.'),
        );
        Assert::assertSame(
            [],
            array_values(array_diff($arrived, $expected, $this->open)),
            $this->story('An event arrived that was not accepted.'),
        );
        Assert::assertContains(
            count(array_intersect($arrived, Scenario::AddMany->ids())),
            $this->scenario === Scenario::AddMany ? [0, count(Scenario::AddMany->ids())] : range(0, 3),
            $this->story('A part of a frame arrived.'),
        );

        $status = $this->world->status($bucket);
        Assert::assertSame(
            [null, count($arrived), count($arrived), 0, 0],
            [
                $status->error,
                $status->events->accepted,
                $status->events->delivered,
                $status->events->pending,
                $status->events->missing,
            ],
            $this->story('The accounts are wrong.'),
        );
    }

    /**
     * @param list<string> $injections
     * @return array{Ending, string} and what strace wrote
     */
    private function perform(Scenario $step, array $injections): array
    {
        $pid = $this->spawner->fork($this->world, $step->value, stopped: true);
        $strace = Strace::attach($pid, "{$this->world->directory}/strace", $injections);
        posix_kill($pid, SIGCONT);

        try {
            return [$this->spawner->awaitEnd($pid), $strace->awaitEnd()];
        } catch (RuntimeException $e) {
            posix_kill($pid, SIGKILL);
            Assert::fail($this->story($e->getMessage().' Last: '.substr($strace->awaitEnd(), -2000)));
        }
    }

    private function note(Scenario $step, Ending $ending): void
    {
        $accepted = $ending->said('accepted');
        $refused = $ending->said('refused');
        array_push($this->accepted, ...$accepted);
        array_push($this->open, ...array_diff($step->ids(), $accepted, $refused));
    }

    /** Called before a repair. */
    private function assertAccountsAgree(): void
    {
        if (! is_dir($this->world->layout($this->scenario->bucket())->active)) {
            return;
        }

        $status = $this->world->status($this->scenario->bucket());
        Assert::assertNull($status->error, $this->story($status->error ?? ''));
        Assert::assertSame(
            [$status->events->accepted, 0],
            [$status->events->delivered + $status->events->pending, $status->events->missing],
            $this->story('The accounts do not agree.'),
        );
    }

    /** Of a sink without a ledger: the same ranges again and again, and never a part of one in another. */
    private function assertDeliveriesMeet(): void
    {
        $ranges = array_unique($this->world->deliveries());
        sort($ranges);
        $end = '';

        foreach ($ranges as $range) {
            [, , $from, $to] = explode('/', $range);
            Assert::assertGreaterThanOrEqual(
                $end,
                $from,
                $this->story('A range was sent again in another cut: '.implode(', ', $ranges)),
            );
            $end = $to;
        }
    }

    /** @return list<string> events that came again under the same id count as one */
    private function arrivedInFile(): array
    {
        [$ids, $text] = [[], ''];

        foreach ([
            ...(array) glob("{$this->world->directory}/lines-*.json*"), "{$this->world->directory}/lines.json",
        ] as $file) {
            $content = str_ends_with((string) $file, '.tmp') ? '' : (string) file_get_contents((string) $file);
            $text .= str_ends_with((string) $file, '.gz') ? gzdecode($content) : $content;
        }

        foreach (explode("\n", trim($text)) as $line) {
            /** @var array{_id: string, id: string, body: string} $row */
            $row = json_decode($line, true, 4, JSON_THROW_ON_ERROR);
            $ids[$row['_id']] = Event::idOf($row['id'], $row['body']);
        }

        return array_values($ids);
    }

    private function story(string $end = ''): string
    {
        return implode("\nthen ", $this->story === [] ? [$this->scenario->value] : $this->story)."\n{$end}";
    }
}
