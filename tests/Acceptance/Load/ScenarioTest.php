<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * Users who go through the steps of a file.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class ScenarioTest extends LoadCommandTestCase
{
    #[Test]
    public function a_value_of_an_answer_is_sent_by_the_next_requests(): void
    {
        $process = $this->play([
            'data' => 'users.csv',
            'steps' => [
                [
                    'name' => 'form',
                    'path' => '/login',
                    'capture' => ['token' => ['regex' => 'name="_token" value="(\w+)"']],
                ],
                [
                    'name' => 'send',
                    'path' => '/status/302',
                    'form' => ['_token' => '{{token}}', 'email' => '{{email}}', 'n' => '{{n}}'],
                    'expect' => ['status' => [302]],
                ],
                ['name' => 'orders', 'path' => '/orders', 'capture' => ['order' => ['json' => 'data.1.id']]],
                [
                    'name' => 'order',
                    'method' => 'PUT',
                    'path' => '/ok/{{order}}?by={{email}}',
                    'json' => ['note' => 'for {{email}}', 'lines' => [], 'more' => (object) []],
                    'headers' => ['X-Order' => '{{order}}'],
                ],
            ],
        ], ['--requests=3', '--concurrency=1']);
        $seen = $this->server->requests();

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame(
            ['/login', '/status/302', '/orders', '/ok/42?by=a%20%22b%22@x.example'],
            array_map(static fn (SeenRequest $request): string => $request->path, array_slice($seen, 0, 4)),
        );
        // Two rows for three iterations: the third takes the first again.
        self::assertSame(
            [
                '_token=t1&email=a+%22b%22%40x.example&n=0',
                '_token=t2&email=c%40x.example&n=1',
                '_token=t3&email=a+%22b%22%40x.example&n=2',
            ],
            [$seen[1]->body, $seen[5]->body, $seen[9]->body],
        );
        self::assertSame(
            ['PUT', '{"note":"for a \"b\"@x.example","lines":[],"more":{}}'],
            [$seen[3]->method, $seen[3]->body],
        );
        self::assertContains('Content-Type: application/json', $seen[3]->headers);
        self::assertContains('X-Order: 42', $seen[3]->headers);
    }

    #[Test]
    public function a_name_in_quotes_behind_a_byte_order_mark_is_a_name(): void
    {
        $this->directory->write('marked.csv', "\xEF\xBB\xBF\"email\",\"other\"\nd@x.example,1\n");
        $process = $this->play(['data' => 'marked.csv', 'steps' => [['path' => '/ok/{{email}}']]], ['--requests=1']);

        self::assertSame('/ok/d@x.example', $this->server->requests()[0]->path ?? null, $process->getErrorOutput());
        self::assertMatchesRegularExpression('/: 1 \D+ 10 /', $process->getErrorOutput());
        self::assertMatchesRegularExpression('/^1 \D+: 1 \D+ 0 /m', $process->getOutput());
        Snapshot::assertPrinted('load', 'a scenario', $process->getErrorOutput().Headroom::withoutCpu($process));
    }

    /** Identifiers of 64 bits without a sign, and of more. */
    #[Test]
    public function numbers_keep_all_their_digits(): void
    {
        $this->directory->write('large.json', '{"steps":[
            {"path":"/numbers","capture":{"id":{"json":"id"},"at":{"json":"at"}}},
            {"path":"/ok/{{id}}/{{at}}","headers":{"X-Id":18446744073709551615},"json":{"id":12345678901234567890,"text":"12345678901234567890","list":[-98765432109876543210,1.0,{}],"more":{}}},
            {"path":"/ok","form":{"id":12345678901234567890,"at":1669120000.123456}}
        ]}');
        $process = Headroom::load(
            $this->server->url(''),
            "--scenario={$this->directory->file('large.json')}",
            '--requests=1',
        );
        $seen = $this->server->requests();

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput().$process->getOutput());
        self::assertSame('/ok/18446744073709551614/1669120000.123456', $seen[1]->path);
        self::assertContains('X-Id: 18446744073709551615', $seen[1]->headers);
        self::assertSame(
            '{"id":12345678901234567890,"text":"12345678901234567890","list":[-98765432109876543210,1.0,{}],"more":{}}',
            $seen[1]->body,
        );
        self::assertSame('id=12345678901234567890&at=1669120000.123456', $seen[2]->body);
    }

    #[Test]
    public function cookies_are_kept_within_an_iteration_and_not_beyond_it(): void
    {
        $steps = [
            ['path' => '/echo', 'name' => 'first'],
            ['path' => '/login'],
            ['path' => '/echo', 'expect' => ['body' => 'session=s']],
        ];
        $process = $this->play(['steps' => $steps], ['--requests=2', '--concurrency=1']);
        $cookies = array_map($this->cookie(...), $this->server->requests());

        self::assertSame(0, $process->getExitCode(), $process->getOutput());
        self::assertSame(['', '', 'session=s1', '', '', 'session=s2'], $cookies);
    }

    #[Test]
    public function cookies_are_kept_without_a_limit_when_the_file_says_so(): void
    {
        $this->play(
            ['keep_cookies' => true, 'steps' => [['path' => '/login'], ['path' => '/ok']]],
            ['--requests=2', '--concurrency=1'],
        );

        self::assertSame(
            ['', 'session=s1', 'session=s1', 'session=s2'],
            array_map($this->cookie(...), $this->server->requests()),
        );
    }

    #[Test]
    public function users_have_each_their_own_cookies(): void
    {
        $process = $this->play(
            ['steps' => [['path' => '/login'], ['path' => '/slow/30'], ['path' => '/echo']]],
            ['--requests=8', '--concurrency=8'],
        );
        $sessions = array_map(
            $this->cookie(...),
            array_values(array_filter(
                $this->server->requests(),
                static fn (SeenRequest $request): bool => $request->path === '/echo',
            )),
        );
        sort($sessions);

        self::assertSame(0, $process->getExitCode(), $process->getOutput());
        self::assertSame(
            [
                'session=s1', 'session=s2', 'session=s3', 'session=s4', 'session=s5', 'session=s6', 'session=s7',
                'session=s8',
            ],
            $sessions,
        );
    }

    #[Test]
    public function each_step_has_its_own_figures_and_their_sum_is_that_of_all(): void
    {
        $process = $this->play(['steps' => [
            ['name' => 'slow', 'path' => '/slow/60'],
            ['name' => 'quick', 'path' => '/ok'],
        ]], ['--requests=6', '--concurrency=3', '--processes=2', '--json']);
        $result = Headroom::result($process);

        self::assertSame(
            [6, 6, 0, 0],
            [
                $result->at('scenario.begun'),
                $result->at('scenario.completed'),
                $result->at('scenario.failed'),
                $result->at('scenario.unfinished'),
            ],
        );
        self::assertSame(['slow', 6, 6, 'quick', 6, 6], [
            $result->at('scenario.steps.0.step'), $result->at('scenario.steps.0.sent'),
            $result->at('scenario.steps.0.succeeded'),
            $result->at('scenario.steps.1.step'), $result->at('scenario.steps.1.sent'),
            $result->at('scenario.steps.1.latency_us.count'),
        ]);
        self::assertSame(12, $result->at('sent'));
        self::assertGreaterThanOrEqual(60_000, $result->number('scenario.steps.0.latency_us.min'));
        self::assertLessThan(
            $result->number('scenario.steps.0.latency_us.min'),
            $result->number('scenario.steps.1.latency_us.min'),
        );
    }

    #[Test]
    public function an_iteration_ends_at_the_step_that_fails(): void
    {
        $result = Headroom::result($this->play(['steps' => [
            ['name' => 'good', 'path' => '/ok'],
            ['name' => 'nothing there', 'path' => '/ok', 'capture' => ['token' => ['regex' => 'value="(.+?)"']]],
            ['name' => 'never', 'path' => '/ok/{{token}}'],
        ]], ['--requests=5', '--json']));

        self::assertSame(
            [5, 0, 5],
            [$result->at('scenario.begun'), $result->at('scenario.completed'), $result->at('scenario.failed')],
        );
        self::assertSame(
            [5, ['nothing_to_capture' => 5], 0],
            [
                $result->at('scenario.steps.1.sent'),
                $result->at('scenario.steps.1.errors'),
                $result->at('scenario.steps.2.sent'),
            ],
        );
        self::assertSame([10, 5, 5], [$result->at('sent'), $result->at('succeeded'), $result->at('wrong_answers')]);
    }

    #[Test]
    public function a_user_that_thinks_sends_nothing_meanwhile(): void
    {
        $result = Headroom::result($this->play(
            ['steps' => [['path' => '/ok', 'think' => 0.2], ['path' => '/ok', 'think' => [0.1, 0.15]]]],
            ['--requests=2', '--concurrency=1', '--json'],
        ));

        self::assertGreaterThanOrEqual(0.5, $result->number('seconds'));
        self::assertSame([4, 0], [$result->at('succeeded'), $result->at('scenario.unfinished')]);
    }

    /** @return iterable<string, array{list<string>, int, int}> */
    public static function ends(): iterable
    {
        yield 'so many' => [['--requests=2', '--concurrency=2'], 2, 0];
        yield 'at a rate' => [['--rate=20', '--duration=0.5'], 10, 0];
        yield 'at a rate, when there is no place' => [['--rate=20', '--duration=0.5', '--concurrency=4'], 4, 6];
    }

    /** @param list<string> $plan */
    #[Test]
    #[DataProvider('ends')]
    public function no_user_thinks_after_the_last_iteration(array $plan, int $completed, int $dropped): void
    {
        $result = Headroom::result($this->play(['steps' => [['path' => '/ok', 'think' => 50]]], [...$plan, '--json']));

        self::assertLessThan(50.0, $result->number('seconds'));
        self::assertSame([$completed, 0], [$result->at('scenario.completed'), $result->at('scenario.unfinished')]);
        self::assertSame($dropped, $result->at('schedule') === null ? 0 : $result->at('schedule.dropped'));
    }

    #[Test]
    public function a_rate_is_one_of_iterations(): void
    {
        $result = Headroom::result($this->play(
            ['steps' => [['path' => '/ok'], ['path' => '/ok']]],
            ['--rate=20', '--duration=1', '--json'],
        ));

        self::assertSame(
            [20, 40, 0],
            [$result->at('scenario.completed'), $result->at('succeeded'), $result->at('schedule.dropped')],
        );
        // Later steps are due when the one before is answered, so none of them is late.
        self::assertSame(20, $result->at('schedule.delay_us.count'));
    }

    #[Test]
    public function a_user_that_thinks_takes_a_place_and_is_no_limit_of_the_client(): void
    {
        $process = $this->play(
            ['steps' => [['path' => '/ok', 'think' => 1]]],
            ['--rate=30', '--duration=1.5', '--concurrency=5', '--json'],
        );
        $result = Headroom::result($process);

        self::assertGreaterThan(0, $result->number('schedule.dropped'));
        self::assertSame([], $result->at('client.limits'));
        Sentence::assertNames(['30', '5'], $process->getErrorOutput());
        self::assertMatchesRegularExpression('/\b10 ms \D+ \d+ \D+ 5 .*--concurrency/', $process->getErrorOutput());
    }

    #[Test]
    public function a_time_that_is_over_leaves_iterations_under_way(): void
    {
        $result = Headroom::result($this->play(
            ['steps' => [['path' => '/ok', 'think' => 60]]],
            ['--duration=0.5', '--concurrency=3', '--json'],
        ));

        self::assertSame(
            [3, 3, 0],
            [$result->at('scenario.begun'), $result->at('succeeded'), $result->at('unfinished')],
        );
    }

    /**
     * @param array<string, mixed> $scenario
     * @param list<string> $options
     */
    private function play(array $scenario, array $options): Process
    {
        $this->directory->write('users.csv', "email,unused\n\"a \"\"b\"\"@x.example\",1\n\nc@x.example,2\n");
        $file = $this->directory->write('scenario.json', json_encode($scenario, JSON_THROW_ON_ERROR));

        return Headroom::load($this->server->url(''), "--scenario={$file}", ...$options);
    }

    private function cookie(SeenRequest $request): string
    {
        foreach ($request->headers as $header) {
            if (str_starts_with(strtolower($header), 'cookie: ')) {
                return substr($header, 8);
            }
        }

        return '';
    }
}
