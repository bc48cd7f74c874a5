<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Users who go through the steps of a file.
 */
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class ScenarioTest extends TestCase
{
    private HttpServer $server;

    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->server = HttpServer::start();
        $this->directory = TemporaryDirectory::create('scenario');
    }

    protected function tearDown(): void
    {
        $this->server->stop();
        $this->directory->remove();
    }

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

    /** @return iterable<string, array{string, list<string>}> the file, and the names and numbers in the message */
    public static function wrong(): iterable
    {
        yield 'no JSON' => ['{', ['JSON', 'Syntax error']];
        yield 'a list' => ['[]', ['[]']];
        yield 'no steps' => ['{}', ['steps']];
        yield 'no step' => ['{"steps":[]}', ['steps', '[]']];
        yield 'an unknown key' => ['{"steps":[{"path":"/","paths":1}]}', ['steps[0].paths', 'name', 'method']];
        yield 'no path' => ['{"steps":[{"name":"x"}]}', ['steps[0].path']];
        yield 'a path that is none' => ['{"steps":[{"path":"login"}]}', ['steps[0].path', '"login"']];
        yield 'a host that is filled in' => [
            '{"steps":[{"path":"http://{{n}}/"}]}', ['steps[0].path', '"http://{{n}}/"'],
        ];
        yield 'a foreign host' => ['{"steps":[{"path":"http://example.invalid/"}]}', ['example.invalid']];
        yield 'an unknown value' => [
            '{"steps":[{"path":"/{{token}}"}]}', ['steps[0].path', '"/{{token}}"', '{{n}}, {{uuid}}, {{random:A-B}}'],
        ];
        yield 'a value known later' => [
            '{"steps":[{"path":"/","form":{"a":"{{x}}"}},{"path":"/","capture":{"x":{"json":"id"}}}]}',
            ['steps[0].form.a', '"{{x}}"'],
        ];
        yield 'a number beyond a float' => ['{"steps":[{"path":"/","json":{"a":[1e999]}}]}', ['1.8e308']];
        yield 'a length of time with too many digits' => [
            '{"steps":[{"path":"/","think":12345678901234567890}]}',
            ['steps[0].think', '12345678901234567890', '0', '3600'],
        ];
        yield 'two bodies' => ['{"steps":[{"path":"/","body":"a","json":{}}]}', ['body', 'json', 'form']];
        yield 'a body of HEAD' => ['{"steps":[{"path":"/","body":"a","method":"HEAD"}]}', ['HEAD']];
        yield 'no status' => [
            '{"steps":[{"path":"/"},{"path":"/","expect":{"status":[200,"ok"]}}]}',
            ['steps[1].expect.status[1]', '"ok"', '100', '599'],
        ];
        yield 'an expression that is none' => [
            '{"steps":[{"path":"/","capture":{"x":{"regex":"(("}}}]}', ['steps[0].capture.x.regex', '"(("'],
        ];
        yield 'two ways' => [
            '{"steps":[{"path":"/","capture":{"x":{"regex":"a","json":"b"}}}]}',
            ['steps[0].capture.x', '{"regex":"a","json":"b"}'],
        ];
        yield 'a name that is taken' => [
            '{"steps":[{"path":"/","capture":{"n":{"json":"b"}}}]}', ['steps[0].capture.n'],
        ];
        yield 'no time' => ['{"steps":[{"path":"/","think":[3,1]}]}', ['steps[0].think', '[3,1]']];
        yield 'no data' => ['{"steps":[{"path":"/"}],"data":"gone.csv"}', ['gone.csv']];
        yield 'a row too short' => ['{"steps":[{"path":"/"}],"data":"short.csv"}', ['short.csv', '1', '2', '2']];
        yield 'a column twice' => ['{"steps":[{"path":"/"}],"data":"twice.csv"}', ['twice.csv', "'a'"]];
        yield 'no rows' => ['{"steps":[{"path":"/"}],"data":"empty.csv"}', ['empty.csv']];
    }

    /** @param list<string> $named */
    #[Test, Group('day-2')]
    #[DataProvider('wrong')]
    public function a_mistake_in_the_file_is_told_with_its_place(string $json, array $named): void
    {
        $this->directory->write('short.csv', "a,b\n1,2\n3\n");
        $this->directory->write('twice.csv', "a,a\n1,2\n");
        $this->directory->write('empty.csv', "a,b\n");
        $process = Headroom::load(
            $this->server->url(''),
            "--scenario={$this->directory->write('wrong.json', $json)}",
            '--no-interaction',
        );

        self::assertSame(2, $process->getExitCode(), $process->getErrorOutput());
        Sentence::assertNames($named, $process->getErrorOutput());
        Snapshot::assertPrinted(
            'load scenario',
            "{$this->dataName()}",
            (string) preg_replace('/\s+/', ' ', $process->getErrorOutput()),
        );
        self::assertSame([], $this->server->requests());
    }

    #[Test]
    public function files_that_would_fill_the_memory_are_refused(): void
    {
        $data = $this->directory->write('large.csv', "a\n\"");
        $scenario = $this->directory->write('large.json', '{"steps":[{"path":"/"}]}');
        $small = $this->directory->write('small.json', '{"steps":[{"path":"/"}],"data":"large.csv"}');

        foreach ([
            [$data, $small, [$data, '17000000', '16777216']],
            [$scenario, $scenario, [$scenario, '16777216']],
        ] as [$grown, $played, $named]) {
            $file = fopen($grown, 'r+');
            self::assertNotFalse($file);
            ftruncate($file, 17_000_000);
            fclose($file);
            $process = Headroom::load($this->server->url(''), "--scenario={$played}", '--no-interaction');

            self::assertSame(2, $process->getExitCode(), $process->getErrorOutput());
            Sentence::assertNames($named, $process->getErrorOutput());
        }
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
