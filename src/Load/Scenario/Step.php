<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

use Headroom\Load\Expectation;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Target;
use Headroom\Load\Template;

/**
 * One request of a scenario, with the expected response and the values to capture from it.
 *
 * @internal
 */
final readonly class Step
{
    /**
     * @param non-empty-string $method
     * @param string $base scheme, host, port and prefix of the paths
     * @param array<string, Template> $headers by name
     * @param list<Capture> $captures
     */
    public function __construct(
        public string $name,
        private string $method,
        private string $base,
        private Template $path,
        private array $headers,
        private ?StepBody $body,
        private ?Expectation $expected,
        public array $captures,
        public ThinkTime $thinkTime,
    ) {}

    /** @param array<string, string> $values */
    public function request(int $number, array $values): Request
    {
        $headers = [];

        foreach ($this->headers as $name => $template) {
            // A captured value may contain line breaks, which would begin another header.
            $value = trim((string) preg_replace('/[\x00-\x1f\x7f]+/', ' ', $template->render($number, $values)));

            if ($value !== '') {
                $headers[] = "{$name}: {$value}";
            }
        }

        $url = $this->base.Target::encoded($this->path->render($number, $values));
        $request = new Request($url, $this->method, $this->body?->render($number, $values), $headers);

        return $this->body === null || $request->hasHeader('Content-Type')
            ? $request
            : new Request($url, $this->method, $request->body, [...$headers, "Content-Type: {$this->body->type}"]);
    }

    public function target(): Target
    {
        return Target::fromUrl("{$this->base}/");
    }

    public function accepts(int $status, Plan $plan): bool
    {
        return $this->expected === null || $this->expected->statuses === []
            ? $plan->accepts($status)
            : in_array($status, $this->expected->statuses, true);
    }

    /** The text that the response body must contain. */
    public function expectedText(Plan $plan): ?string
    {
        return $this->expected->body ?? $plan->expected?->body;
    }
}
