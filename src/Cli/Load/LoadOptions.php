<?php

declare(strict_types=1);

namespace Headroom\Cli\Load;

use Headroom\Load\Expectation;
use Headroom\Load\InvalidPlan;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\SameRequest;
use Headroom\Load\Stages;
use Headroom\Load\Template;
use Headroom\Load\TemplateRequests;
use Headroom\Load\Threshold;
use Symfony\Component\Console\Input\InputInterface;

/**
 * The command line of `load`, as the Load room understands it.
 *
 * @internal
 */
final readonly class LoadOptions
{
    private const DEFAULT_SECONDS = 10.0;

    private const DEFAULT_FAIL_FROM = 400;

    public function __construct(private InputInterface $input) {}

    /** @throws InvalidPlan */
    public function plan(): Plan
    {
        $this->refuseBoth(['samples', 'duration'], ['samples', 'rate'], ['samples', 'ramp'], ['duration', 'ramp'], ['rate', 'ramp'], ['rate', 'pause'], ['fail-from', 'expect-status']);
        $stages = Ramps::parse($this->texts('ramp'));
        $shared = [
            'timeout' => $this->number('timeout'),
            'insecure' => $this->input->getOption('insecure') === true,
            'failFrom' => $this->has('fail-from') ? $this->whole('fail-from') : self::DEFAULT_FAIL_FROM,
            'expected' => new Expectation($this->statuses(), $this->text('expect-body')),
        ];
        $inFlight = $this->has('concurrency') ? $this->whole('concurrency') : null;

        if ($this->has('rate') || $stages?->arePerSecond === true) {
            $this->refuseBoth(['pause', 'ramp']);

            return Plan::rate($stages->stages ?? $this->constantRate(), $inFlight ?? Plan::DEFAULT_IN_FLIGHT, ...$shared);
        }

        $pause = $this->has('pause') ? $this->whole('pause') / 1_000 : 0.0;

        if ($stages !== null) {
            $this->refuseBoth(['concurrency', 'ramp']);

            return Plan::users($stages->stages, ...$shared, pause: $pause);
        }

        $users = $inFlight ?? Plan::DEFAULT_CONCURRENCY;

        return $this->has('samples')
            ? Plan::samples($this->whole('samples'), $users, ...$shared, pause: $pause)
            : Plan::duration($this->seconds(), $users, ...$shared, pause: $pause);
    }

    /**
     * The request before its body's placeholders are filled in.
     *
     * @throws InvalidPlan
     */
    public function request(): Request
    {
        $url = $this->input->getArgument('url');
        $body = $this->body();
        $method = $this->text('method') ?? ($body === null ? 'GET' : 'POST');

        if ($method === '') {
            throw InvalidPlan::option('method', $method, 'an HTTP method such as GET or POST');
        }

        return new Request(is_string($url) ? $url : '', $method, $body, $this->texts('header'));
    }

    /** @throws InvalidPlan */
    public function source(Request $request): RequestSource
    {
        $template = Template::parse($request->body ?? '');

        return $template->isConstant() ? new SameRequest($request) : new TemplateRequests($request, $template);
    }

    private function body(): ?string
    {
        $file = $this->text('body-file');
        $body = $this->text('body');

        if ($file === null) {
            return $body;
        }

        if ($body !== null) {
            throw InvalidPlan::notTogether('body', 'body-file');
        }

        $text = is_file($file) ? @file_get_contents($file) : false;

        return $text === false ? throw InvalidPlan::unreadable('body-file', $file) : $text;
    }

    /**
     * @return list<Threshold>
     *
     * @throws InvalidPlan
     */
    public function thresholds(): array
    {
        return array_map(Threshold::parse(...), $this->texts('fail-if'));
    }

    /** @throws InvalidPlan */
    public function outputs(): Outputs
    {
        return Outputs::of($this->texts('output'));
    }

    /** @return list<int> */
    private function statuses(): array
    {
        $text = $this->text('expect-status');

        if ($text === null) {
            return [];
        }

        return preg_match('/\A\d{3}(,\d{3})*\z/', $text) === 1 ? array_map(intval(...), explode(',', $text)) : throw InvalidPlan::option('expect-status', $text, 'statuses from 100 to 599, such as 200,302');
    }

    private function seconds(): float
    {
        return $this->has('duration') ? $this->number('duration') : self::DEFAULT_SECONDS;
    }

    private function constantRate(): Stages
    {
        $rate = $this->number('rate', "a number of requests per second such as 100 or '0.5'");

        return $rate > 0.0 ? Stages::constant($rate, $this->seconds()) : throw InvalidPlan::option('rate', $this->text('rate') ?? '', 'more than 0 requests per second');
    }

    /** @param array{string, string} ...$pairs options of which one makes the other pointless */
    private function refuseBoth(array ...$pairs): void
    {
        foreach ($pairs as [$option, $other]) {
            if ($this->has($option) && $this->has($other)) {
                throw InvalidPlan::notTogether($option, $other);
            }
        }
    }

    private function has(string $option): bool
    {
        return ! in_array($this->input->getOption($option), [null, []], true);
    }

    /** @return list<string> */
    private function texts(string $option): array
    {
        $texts = $this->input->getOption($option);

        return is_array($texts) ? array_values(array_filter($texts, is_string(...))) : [];
    }

    private function whole(string $option): int
    {
        $text = $this->text($option) ?? '';

        return preg_match('/\A-?\d{1,18}\z/', $text) === 1 ? (int) $text : throw InvalidPlan::option($option, $text, 'a whole number');
    }

    private function number(string $option, string $allowed = "a number of seconds such as 8 or '0.5'"): float
    {
        $text = $this->text($option) ?? '';

        return preg_match('/\A-?\d{1,12}(\.\d{1,9})?\z/', $text) === 1 ? (float) $text : throw InvalidPlan::option($option, $text, $allowed);
    }

    private function text(string $option): ?string
    {
        $value = $this->input->getOption($option);

        return is_scalar($value) ? (string) $value : null;
    }
}
