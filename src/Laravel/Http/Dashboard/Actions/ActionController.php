<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Illuminate\Http\Response;

final readonly class ActionController
{
    public function __invoke(string $action): Response
    {
        return JsonResponse::problem(501, 'Not there yet', $action);
    }
}
