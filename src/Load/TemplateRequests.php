<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * One request, repeated with bodies from a template.
 */
final readonly class TemplateRequests implements RequestSource
{
    public function __construct(private Request $request, private Template $template) {}

    public function next(int $number): Request
    {
        return $this->request->withBody($this->template->render($number));
    }
}
