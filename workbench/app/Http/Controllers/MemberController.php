<?php

declare(strict_types=1);

namespace Workbench\App\Http\Controllers;

use Headroom\Laravel\Facades\Buffer;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;

/**
 * Somebody joins; the welcome mail is sent behind the response.
 */
final class MemberController
{
    public function __invoke(Request $request): JsonResponse
    {
        $member = $request->validate([
            'email' => ['required', 'email', 'max:255'],
            'name' => ['required', 'string', 'max:255'],
        ]);
        Buffer::bucket('welcome')->add($member);

        return new JsonResponse(['accepted' => true], 202);
    }
}
