<?php

declare(strict_types=1);

namespace Headroom\Cli;

use Headroom\Load\InvalidPlan;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\SameRequest;
use Headroom\Load\Template;
use Headroom\Load\TemplateRequests;
use Symfony\Component\Console\Input\InputInterface;

/**
 * The command line of `load`, as the Load room understands it.
 *
 * @internal
 */
final readonly class LoadOptions
{
    private const DEFAULT_SECONDS = 10.0;

    public function __construct(private InputInterface $input) {}

    /** @throws InvalidPlan */
    public function plan(): Plan
    {
        $samples = $this->text('samples');
        $duration = $this->text('duration');

        if ($samples !== null && $duration !== null) {
            throw InvalidPlan::notTogether('samples', 'duration');
        }

        $shared = [
            'concurrency' => $this->whole('concurrency'),
            'timeout' => $this->number('timeout'),
            'insecure' => $this->input->getOption('insecure') === true,
            'failFrom' => $this->whole('fail-from'),
            'pause' => $this->whole('pause') / 1000,
        ];

        return $samples !== null
            ? Plan::samples($this->whole('samples'), ...$shared)
            : Plan::duration($duration === null ? self::DEFAULT_SECONDS : $this->number('duration'), ...$shared);
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

        return new Request(is_string($url) ? $url : '', $method, $body, $this->headers());
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

    /** @return list<string> */
    private function headers(): array
    {
        $headers = $this->input->getOption('header');

        return is_array($headers) ? array_values(array_filter($headers, is_string(...))) : [];
    }

    private function whole(string $option): int
    {
        $text = $this->text($option) ?? '';

        return preg_match('/\A-?\d{1,18}\z/', $text) === 1 ? (int) $text : throw InvalidPlan::option($option, $text, 'a whole number');
    }

    private function number(string $option): float
    {
        $text = $this->text($option) ?? '';

        return preg_match('/\A-?\d{1,12}(\.\d{1,9})?\z/', $text) === 1 ? (float) $text : throw InvalidPlan::option($option, $text, "a number of seconds such as 8 or '0.5'");
    }

    private function text(string $option): ?string
    {
        $value = $this->input->getOption($option);

        return is_scalar($value) ? (string) $value : null;
    }
}
