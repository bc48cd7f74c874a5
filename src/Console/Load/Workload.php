<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\InvalidPlan;
use Headroom\Load\Replay\AccessLogReplay;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\SameRequest;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Scenario\ScenarioFile;
use Headroom\Load\Target;
use Headroom\Load\Template;
use Headroom\Load\TemplateRequests;

/**
 * The requests to send and their targets: the same request repeatedly, a scenario, or the requests of a log.
 *
 * @internal
 */
final readonly class Workload
{
    /**
     * @param ?string $method null if the requests have different methods
     * @param list<Target> $targets all hosts that get requests
     */
    private function __construct(
        public RequestSource|Scenario $source,
        public string $url,
        public ?string $method,
        public ?string $scenario,
        public ?string $replay,
        public ?string $speed,
        public int $processes,
        public array $targets,
    ) {}

    /** @throws InvalidPlan */
    public static function of(CommandInput $input, int $processes): self
    {
        $input->refuseBoth(['scenario', 'replay']);
        $scenario = $input->text('scenario');
        $replay = $input->text('replay');

        return match (true) {
            $scenario !== null => self::scenario($input, $scenario, $processes),
            $replay !== null => self::replay($input, $replay, $processes),
            default => self::request($input, $processes),
        };
    }

    private static function scenario(CommandInput $input, string $file, int $processes): self
    {
        $input->refuseBoth(
            ['scenario', 'method'],
            ['scenario', 'body'],
            ['scenario', 'body-file'],
            ['scenario', 'header'],
        );
        $base = Target::fromUrl($input->url());
        $scenario = ScenarioFile::read($file, $base);

        return new self($scenario, $base->url, null, $file, null, null, $processes, $scenario->targets());
    }

    private static function replay(CommandInput $input, string $file, int $processes): self
    {
        $input->refuseBoth(['replay', 'method'], ['replay', 'body'], ['replay', 'body-file']);
        $base = Target::fromUrl($input->url());
        $speed = $input->text('speed') ?? '1';
        $headers = (new Request($base->url, headers: $input->texts('header')))->headers;
        $seconds = $input->has('duration') ? $input->seconds('duration') : null;
        $source = AccessLogReplay::open(
            $file,
            $base,
            $speed === ReplaySpeed::MAX ? 1.0 : ReplaySpeed::of($speed),
            $speed === ReplaySpeed::MAX ? null : $seconds,
            $headers,
        );

        return new self($source, $base->url, null, null, $file, $speed, $processes, [$base]);
    }

    private static function request(CommandInput $input, int $processes): self
    {
        $body = self::body($input);
        $method = $input->text('method') ?? ($body === null ? 'GET' : 'POST');

        if ($method === '') {
            throw InvalidPlan::option('method', $method, 'an HTTP method such as GET or POST');
        }

        $request = new Request($input->url(), $method, $body, $input->texts('header'));
        $template = Template::parse($body ?? '');
        $source = $template->isConstant() ? new SameRequest($request) : new TemplateRequests($request, $template);

        return new self($source, $request->target->url, $method, null, null, null, $processes, [$request->target]);
    }

    private static function body(CommandInput $input): ?string
    {
        $file = $input->text('body-file');
        $body = $input->text('body');

        if ($file === null) {
            // The syntax of curl for a file.
            return $body !== null && str_starts_with($body, '@') && is_file(substr($body, 1))
                ? throw InvalidPlan::option(
                    'body',
                    $body,
                    'the body itself; --body-file='.substr($body, 1).' sends the content of the file',
                )
                : $body;
        }

        if ($body !== null) {
            throw InvalidPlan::notTogether('body', 'body-file');
        }

        $text = is_file($file) ? @file_get_contents($file) : false;

        return $text === false ? throw InvalidPlan::unreadable('body-file', $file) : $text;
    }

    /** A short name of the workload. */
    public function title(): string
    {
        return match (true) {
            $this->scenario !== null => 'scenario '.basename($this->scenario)." at {$this->url}",
            $this->replay !== null => 'log '.basename($this->replay)." at {$this->url}, "
                .($this->speed === ReplaySpeed::MAX ? 'as fast as possible' : "at {$this->speed} times its speed"),
            default => "{$this->method} {$this->url}",
        };
    }

    /** @return array<string, mixed> the settings that are not in the plan */
    public function toArray(): array
    {
        return [
            'processes' => $this->processes,
            'scenario' => $this->scenario,
            'replay' => $this->replay,
            'speed' => $this->speed,
        ];
    }
}
